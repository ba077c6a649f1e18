/** Path of a conversation within the dashboard. @param messageId a message that is scrolled to and marked */
export function conversationPath(id: string, messageId: string | null = null): string {
  return `/inbox/all/${id}${messageId === null ? '' : `?message=${messageId}`}`;
}

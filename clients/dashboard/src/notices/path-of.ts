import type { NotificationView } from '@support-chat/sdk';

/** Path of the message that a notification is about, or of its conversation. */
export function pathOf({ conversation_id: id, message_id }: NotificationView): string {
  return `/inbox/all/${id}${message_id === null ? '' : `?message=${message_id}`}`;
}

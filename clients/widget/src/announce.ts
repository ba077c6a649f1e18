/** Text for screen readers. Another id is another announcement, also of an equal text. */
export interface Announcement {
  text: string;
  id: number;
}

/** As many are in the page, so that none is lost that comes before the one before it is drawn. */
const KEPT = 5;

/** Lets screen readers read a text out. A closed panel is silent, also when it is opened later. */
export function announce(chat: { isOpen: boolean; announcements: Announcement[] }, text: string): void {
  const { announcements } = chat;
  const id = (announcements.at(-1)?.id ?? 0) + 1;
  if (chat.isOpen) chat.announcements = [...announcements.slice(1 - KEPT), { text, id }];
}

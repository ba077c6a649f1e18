/** Text for screen readers. Another id is another announcement, also of an equal text. */
export interface Announcement {
  text: string;
  id: number;
}

export const SILENCE: Announcement = { text: '', id: 0 };

/** Lets screen readers read a text out. A closed panel is silent, also when it is opened later. */
export function announce(chat: { isOpen: boolean; announcement: Announcement }, text: string): void {
  if (chat.isOpen) chat.announcement = { text, id: chat.announcement.id + 1 };
}

import type { MessageView } from '@support-chat/sdk';

/** Messages of one sender within this time stand in one group. */
const GROUP_MS = 5 * 60_000;

/** A line of the timeline. */
export type Entry =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string }
  | { kind: 'event'; key: string; message: MessageView }
  | { kind: 'message'; key: string; message: MessageView; isFirst: boolean; isLast: boolean };

/**
 * Puts days, the line of new messages and groups into a list of messages.
 * @param newSeq the first message that was unread when the conversation was opened
 */
export function buildEntries(messages: readonly MessageView[], newSeq: number | undefined): Entry[] {
  const entries: Entry[] = [];
  let day = '';
  let previous: MessageView | undefined;
  for (const message of messages) {
    const { id, seq, created_at: at } = message;
    const ownDay = new Date(at).toDateString();
    if (ownDay !== day) {
      entries.push({ kind: 'day', key: `day ${ownDay}`, at });
      previous = undefined;
      day = ownDay;
    }
    if (seq === newSeq) {
      entries.push({ kind: 'new', key: 'new' });
      previous = undefined;
    }
    if (message.content_type === 'event') {
      if (message.deleted_at === null) entries.push({ kind: 'event', key: id, message });
      previous = undefined;
      continue;
    }
    const isFirst = !previous || !isSameGroup(previous, message);
    const before = entries.at(-1);
    if (!isFirst && before?.kind === 'message') before.isLast = false;
    entries.push({ kind: 'message', key: id, message, isFirst, isLast: true });
    previous = message;
  }
  return entries;
}

function isSameGroup(a: MessageView, b: MessageView): boolean {
  if (a.sender_type !== b.sender_type || a.sender_id !== b.sender_id || a.private !== b.private) return false;
  return Date.parse(b.created_at) - Date.parse(a.created_at) < GROUP_MS;
}

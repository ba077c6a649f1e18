import type { VisitorMessageView } from '@support-chat/sdk';
import type { MessageKey } from '../messages.js';
import type { OutboxItem } from '../state/outbox.js';

/** A line of the timeline. */
export type Entry =
  | { kind: 'day'; key: string; time: string }
  | { kind: 'new'; key: string }
  | { kind: 'event'; key: string; event: string }
  | { kind: 'message'; key: string; message: VisitorMessageView; isFirst: boolean; isLast: boolean }
  | { kind: 'pending'; key: string; item: OutboxItem };

const GROUP_MS = 300_000;

const EVENTS: Record<string, MessageKey> = {
  reopened: 'reopened',
  closed_by_contact: 'closedByContact',
};

/** @param event of a message's metadata. Any other event than these ends the conversation */
export function eventText(event: unknown): MessageKey {
  return EVENTS[event as string] ?? 'resolved';
}

/**
 * Builds the lines: a separator for each day, messages of a sender within 5 minutes as a group, then what is not sent.
 * @param newSeq `seq` of the first message that has not been read
 */
export function buildEntries(
  messages: VisitorMessageView[],
  pending: OutboxItem[],
  newSeq: number | undefined,
): Entry[] {
  const entries: Entry[] = [];
  messages.forEach((message, index) => {
    const [before, after] = [messages[index - 1], messages[index + 1]];
    const day = new Date(message.created_at).toDateString();
    const isNewDay = !before || day !== new Date(before.created_at).toDateString();
    if (isNewDay) entries.push({ kind: 'day', key: day, time: message.created_at });
    if (message.seq === newSeq) entries.push({ kind: 'new', key: 'new' });
    const key = message.client_message_id ?? message.id;
    const event = message.metadata['event'];
    if (message.content_type === 'event') return entries.push({ kind: 'event', key, event: String(event) });
    const isFirst = isNewDay || message.seq === newSeq || !isSameGroup(before, message);
    const isLast = !after || after.seq === newSeq || !isSameGroup(message, after);
    return entries.push({ kind: 'message', key, message, isFirst, isLast });
  });
  const stored = new Set(messages.map(({ client_message_id }) => client_message_id));
  const unsent = pending.filter(({ id }) => !stored.has(id));
  return [...entries, ...unsent.map(item => ({ kind: 'pending' as const, key: item.id, item }))];
}

function isSameGroup(before: VisitorMessageView, after: VisitorMessageView): boolean {
  const distance = Date.parse(after.created_at) - Date.parse(before.created_at);
  return before.sender_id === after.sender_id && after.content_type !== 'event' && distance < GROUP_MS;
}

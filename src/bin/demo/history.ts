import { items, type MessageRange, type MessageView, type Page } from '@support-chat/sdk';

/** A message that the service acknowledged. */
export interface SentMessage {
  id: string;
  speaker: 'contact' | 'agent';
  text: string;
}

/** Reads all messages of a conversation in the order of the service, without system events. */
export async function readHistory(read: (range: MessageRange) => Promise<Page<MessageView>>): Promise<SentMessage[]> {
  const messages: SentMessage[] = [];
  const all = items(next => read({ after_seq: 0, limit: 200, ...next }));
  for await (const { id, sender_type, content_type, content } of all) {
    if (content_type !== 'event')
      messages.push({ id, speaker: sender_type as SentMessage['speaker'], text: content ?? '' });
  }
  return messages;
}

/** Describes how a history differs from the sent messages; undefined when both are equal. */
export function describeDifference(sent: readonly SentMessage[], history: readonly SentMessage[]): string | undefined {
  const lost = sent.filter(({ id }) => !history.some(message => message.id === id));
  if (lost.length > 0) return `acknowledged but missing: ${idsOf(lost)}`;
  const unknown = history.filter(({ id }) => !sent.some(message => message.id === id));
  if (unknown.length > 0) return `never sent: ${idsOf(unknown)}`;
  const repeated = history.filter(({ id }, index) => history.findIndex(message => message.id === id) < index);
  if (repeated.length > 0) return `stored more than once: ${idsOf(repeated)}`;
  const differing = sent.findIndex(({ id, text, speaker }, index) => {
    const other = history[index]!;
    return other.id !== id || other.text !== text || other.speaker !== speaker;
  });
  if (differing < 0) return undefined;
  return `message ${differing + 1} differs from what was sent: ${JSON.stringify(history[differing])}`;
}

function idsOf(messages: readonly SentMessage[]): string {
  return messages.map(({ id }) => id).join(', ');
}

import { items, type MessageRange, type MessageView, type Page } from '@support-chat/sdk';

/** What was said, as the service acknowledged it. */
export interface SentMessage {
  id: string;
  speaker: 'contact' | 'agent';
  text: string;
}

/** Everything that people said in a conversation, as the service orders it, without the timeline's own entries. */
export async function readHistory(read: (range: MessageRange) => Promise<Page<MessageView>>): Promise<SentMessage[]> {
  const said: SentMessage[] = [];
  const all = items(next => read({ after_seq: 0, limit: 200, ...next }));
  for await (const { id, sender_type, content_type, content } of all) {
    if (content_type !== 'event') said.push({ id, speaker: sender_type as SentMessage['speaker'], text: content ?? '' });
  }
  return said;
}

/** How a history differs from what was said; undefined when every message stands in it exactly once, in order. */
export function describeDifference(said: readonly SentMessage[], history: readonly SentMessage[]): string | undefined {
  const lost = said.filter(({ id }) => !history.some(message => message.id === id));
  if (lost.length > 0) return `acknowledged, but not there: ${namesOf(lost)}`;
  const unknown = history.filter(({ id }) => !said.some(message => message.id === id));
  if (unknown.length > 0) return `there, but said by nobody: ${namesOf(unknown)}`;
  const twice = history.filter(({ id }, place) => history.findIndex(message => message.id === id) < place);
  if (twice.length > 0) return `there more than once: ${namesOf(twice)}`;
  const place = said.findIndex(({ id, text, speaker }, index) => {
    const other = history[index]!;
    return other.id !== id || other.text !== text || other.speaker !== speaker;
  });
  return place < 0 ? undefined : `message ${place + 1} is not what was said: ${JSON.stringify(history[place])}`;
}

function namesOf(messages: readonly SentMessage[]): string {
  return messages.map(({ id }) => id).join(', ');
}

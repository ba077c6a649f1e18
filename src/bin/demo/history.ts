import type { MessageRange, MessageView, Page } from '@support-chat/sdk';

/** What was said, as the service acknowledged it. */
export interface Said {
  id: string;
  speaker: 'contact' | 'agent';
  text: string;
}

const PAGE = 200;

/** Everything that people said in a conversation, in the order of `seq`; the timeline's own entries are left out. */
export async function readHistory(read: (range: MessageRange) => Promise<Page<MessageView>>): Promise<Said[]> {
  const said: MessageView[] = [];
  for (let after = 0; ;) {
    const page = await read({ after_seq: after, limit: PAGE });
    said.push(...page.items);
    const last = Math.max(after, ...page.items.map(({ seq }) => seq));
    if (page.items.length < PAGE || last === after) break;
    after = last;
  }
  return said
    .filter(({ content_type }) => content_type !== 'event')
    .sort((a, b) => a.seq - b.seq)
    .map(({ id, sender_type, content }) => ({ id, speaker: sender_type as Said['speaker'], text: content ?? '' }));
}

/** How a history differs from what was said; undefined when every message stands in it exactly once, in order. */
export function difference(said: readonly Said[], history: readonly Said[]): string | undefined {
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

function namesOf(messages: readonly Said[]): string {
  return messages.map(({ id }) => id).join(', ');
}

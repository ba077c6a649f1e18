import { items, type MessageRange, type MessageView, type Page } from '@support-chat/sdk';
import type { Speaker } from './dialogue.js';

/** A message that the service acknowledged. */
export interface SentMessage {
  id: string;
  speaker: Speaker;
  text: string;
}

/** A conversation as one side reads it. */
export interface History {
  messages: SentMessage[];
  /** Names of the timeline entries, such as `assigned`. */
  timeline: string[];
}

/** Reads a whole conversation in the order of the service. */
export async function readHistory(read: (range: MessageRange) => Promise<Page<MessageView>>): Promise<History> {
  const history: History = { messages: [], timeline: [] };
  const all = items(next => read({ after_seq: 0, limit: 200, ...next }));
  for await (const { id, sender_type, content_type, content, metadata } of all) {
    if (content_type === 'event') history.timeline.push(String(metadata.event));
    else history.messages.push({ id, speaker: sender_type as Speaker, text: content ?? '' });
  }
  return history;
}

/** Describes how a history differs from the expected one; undefined when both are equal. */
export function describeDifference(expected: History, history: History): string | undefined {
  return describeMessages(expected.messages, history.messages) ?? describeTimeline(expected.timeline, history.timeline);
}

function describeMessages(sent: readonly SentMessage[], history: readonly SentMessage[]): string | undefined {
  const lost = sent.filter(({ id }) => !history.some(message => message.id === id));
  if (lost.length > 0) return `acknowledged but missing: ${idsOf(lost)}`;
  const unknown = history.filter(({ id }) => !sent.some(message => message.id === id));
  if (unknown.length > 0) return `never sent to this side: ${idsOf(unknown)}`;
  const repeated = history.filter(({ id }, index) => history.findIndex(message => message.id === id) < index);
  if (repeated.length > 0) return `stored more than once: ${idsOf(repeated)}`;
  const differing = sent.findIndex(({ id, text, speaker }, index) => {
    const other = history[index]!;
    return other.id !== id || other.text !== text || other.speaker !== speaker;
  });
  if (differing < 0) return undefined;
  return `message ${differing + 1} differs from what was sent: ${JSON.stringify(history[differing])}`;
}

function describeTimeline(expected: readonly string[], timeline: readonly string[]): string | undefined {
  if (expected.join() === timeline.join()) return undefined;
  return `the timeline is “${timeline.join(', ')}”, not “${expected.join(', ')}”`;
}

function idsOf(messages: readonly SentMessage[]): string {
  return messages.map(({ id }) => id).join(', ');
}

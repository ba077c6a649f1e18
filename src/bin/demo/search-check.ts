import { setTimeout as wait } from 'node:timers/promises';
import type { AgentClient, MessageView } from '@support-chat/sdk';
import type { Dialogue } from './dialogue.js';

/** A message that an agent has found by one of its words. */
export interface FoundMessage {
  word: string;
  message: MessageView;
  seconds: number;
}

const WORD = /\p{L}{2,50}/gu;
/** A message can be found two seconds after it was sent, and later on a busy machine. */
const PATIENCE_MS = 10_000;
const INTERVAL_MS = 500;

/**
 * Searches for the contact's last message of a dialogue.
 * @returns null if it has no word
 * @throws Error when the search does not find it in time
 */
export async function findLastMessage(agent: AgentClient, { id, turns }: Dialogue): Promise<FoundMessage | null> {
  const text = turns.findLast(([speaker]) => speaker === 'contact')?.[1] ?? '';
  const word = longestWord(text);
  if (word === '') return null;
  const begun = performance.now();
  for (;;) {
    const { items } = await agent.search({ query: word, in: 'messages', limit: 200 });
    const seconds = (performance.now() - begun) / 1_000;
    const message = items.find(item => item.message && text.includes(item.message.content ?? text))?.message;
    if (message) return { word, message, seconds };
    if (seconds * 1_000 > PATIENCE_MS) throw new Error(`the search for “${word}” does not find the dialogue ${id}`);
    await wait(INTERVAL_MS);
  }
}

export function foundText({ word, message, seconds }: FoundMessage): string {
  return `a search for “${word}” finds “${message.content ?? ''}” after ${seconds.toFixed(1)} s\n`;
}

function longestWord(text: string): string {
  return Array.from(text.matchAll(WORD), ([word]) => word).reduce(
    (longest, word) => (word.length > longest.length ? word : longest),
    '',
  );
}

import type { Dialogue } from './dialogue.js';

/** Acts of the desk on a conversation besides answering it. Positions are those of the dialogue's turns. */
export interface DeskPlan {
  tags: string[];
  /** The agent's turn before which a colleague is asked in a private note. */
  noteBefore: number | undefined;
  /** The agent's turn after which the conversation is snoozed until the contact writes. */
  snoozeAfter: number | undefined;
  /** The contact's turn with which it sends a photo. */
  photoAt: number | undefined;
  /** Undefined if nobody answers, because such a conversation cannot be rated. */
  rating: { score: number; comment: string } | undefined;
}

const MAX_TAGS = 20;
const TAG_CHARACTERS = 50;
const QUOTED_CHARACTERS = 200;
const SCORES = [5, 4, 5, 3, 5, 4];

/** Plans by turns: every other conversation has a note and a photo, the others are snoozed. Its words are those of the dialogue. */
export function planDesk({ topics, turns }: Dialogue, index: number): DeskPlan {
  const answers = turns.flatMap(([speaker], position) => (speaker === 'agent' ? [position] : []));
  const contactTexts = turns.flatMap(([speaker, text]) => (speaker === 'contact' ? [text] : []));
  const rating = { score: SCORES[index % SCORES.length]!, comment: shorten(contactTexts.at(-1)!, QUOTED_CHARACTERS) };
  return {
    tags: tagsFrom(topics),
    noteBefore: index % 2 === 0 ? answers[0] : undefined,
    snoozeAfter: index % 2 === 1 ? answers.findLast(position => turns[position + 1]?.[0] === 'contact') : undefined,
    photoAt: index % 2 === 0 ? turns.findLastIndex(([speaker]) => speaker === 'contact') : undefined,
    rating: answers.length > 0 ? rating : undefined,
  };
}

/** The text of a note that asks a colleague about the contact's last words. */
export function noteText(colleague: string, { topics }: Dialogue, contactText: string): string {
  const about = topics[0] === undefined ? '' : ` with “${shorten(topics[0], TAG_CHARACTERS)}”`;
  return `@${colleague}, can you help${about}? They write: “${shorten(contactText, QUOTED_CHARACTERS)}”`;
}

/** Tags are equal without regard to case. */
function tagsFrom(topics: readonly string[]): string[] {
  const tags = topics.map(topic => shorten(topic, TAG_CHARACTERS)).filter(tag => tag !== '');
  const keys = tags.map(tag => tag.toLowerCase());
  return tags.filter((_tag, index) => keys.indexOf(keys[index]!) === index).slice(0, MAX_TAGS);
}

function shorten(text: string, maxCharacters: number): string {
  return [...text.trim()].slice(0, maxCharacters).join('').trim();
}

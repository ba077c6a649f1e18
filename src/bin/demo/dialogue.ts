import { readFile } from 'node:fs/promises';

export type Speaker = 'contact' | 'agent';

/** A talk to be played: who says what, in order. The contact opens it. */
export interface Dialogue {
  id: string;
  topics: string[];
  turns: [Speaker, string][];
}

const OURS = new URL('./dialogues.json', import.meta.url);
const LONGEST_MESSAGE = 20_000;

/**
 * @param file a JSON array of dialogues, or one dialogue per line; our own dozen when absent
 * @throws Error that names the dialogue and what is wrong with it
 */
export async function loadDialogues(file?: string): Promise<Dialogue[]> {
  const text = await readFile(file ?? OURS, 'utf8');
  const dialogues = text.trimStart().startsWith('[') ? asArray(text) : asLines(text);
  if (dialogues.length === 0) throw new Error(`${file ?? 'dialogues.json'} holds no dialogue`);
  return dialogues;
}

function asArray(text: string): Dialogue[] {
  return (JSON.parse(text) as unknown[]).map((value, index) => toDialogue(value, `dialogue ${index + 1}`));
}

function asLines(text: string): Dialogue[] {
  return text.split('\n').flatMap((line, index) => {
    const place = `line ${index + 1}`;
    return line.trim() === '' ? [] : [toDialogue(parseLine(line, place), place)];
  });
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${place} is not JSON`, { cause });
  }
}

function toDialogue(value: unknown, place: string): Dialogue {
  const { id, topics = [], turns } = (value ?? {}) as Partial<Record<keyof Dialogue, unknown>>;
  const wrong = (what: string) => new Error(`${place}: ${what}`);
  if (typeof id !== 'string' || id === '') throw wrong('it has no id');
  if (!Array.isArray(topics) || !topics.every(topic => typeof topic === 'string')) throw wrong('topics are no strings');
  if (!Array.isArray(turns) || turns.length === 0) throw wrong('it has no turns');
  const bad = turns.findIndex(turn => !isTurn(turn));
  if (bad >= 0)
    throw wrong(`turn ${bad + 1} is not ["contact" or "agent", text of 1 to ${LONGEST_MESSAGE} characters]`);
  const known = turns as [Speaker, string][];
  if (known[0]![0] !== 'contact') throw wrong('its first turn is not the contact’s, who alone can open a conversation');
  return { id, topics, turns: known };
}

function isTurn(turn: unknown): turn is [Speaker, string] {
  if (!Array.isArray(turn) || turn.length !== 2) return false;
  const [speaker, text] = turn as unknown[];
  if (speaker !== 'contact' && speaker !== 'agent') return false;
  return typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_MESSAGE;
}

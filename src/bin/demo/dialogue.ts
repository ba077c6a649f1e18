import { readFile } from 'node:fs/promises';

export type Speaker = 'contact' | 'agent';

/** A scripted conversation. */
export interface Dialogue {
  id: string;
  topics: string[];
  /** The messages in order, each with its speaker. The contact sends the first. */
  turns: [Speaker, string][];
}

const BUILT_IN = new URL('./dialogues.json', import.meta.url);
const MAX_CHARACTERS = 20_000;

/**
 * Loads and validates dialogues.
 * @param file a JSON array of dialogues, or one JSON dialogue per line; the built-in dialogues when undefined
 * @throws Error that names the invalid dialogue and the fault
 */
export async function loadDialogues(file?: string): Promise<Dialogue[]> {
  const text = await readFile(file ?? BUILT_IN, 'utf8');
  const dialogues = text.trimStart().startsWith('[') ? asArray(text) : asLines(text);
  if (dialogues.length === 0) throw new Error(`${file ?? 'dialogues.json'} holds no dialogue`);
  return dialogues;
}

function asArray(text: string): Dialogue[] {
  return (JSON.parse(text) as unknown[]).map((value, index) => toDialogue(value, `dialogue ${index + 1}`));
}

function asLines(text: string): Dialogue[] {
  return text.split('\n').flatMap((line, index) => {
    const label = `line ${index + 1}`;
    return line.trim() === '' ? [] : [toDialogue(parseLine(line, label), label)];
  });
}

function parseLine(line: string, label: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Error(`${label} is not JSON`, { cause });
  }
}

function toDialogue(value: unknown, label: string): Dialogue {
  const { id, topics = [], turns } = (value ?? {}) as Partial<Record<keyof Dialogue, unknown>>;
  const invalid = (fault: string) => new Error(`${label}: ${fault}`);
  if (typeof id !== 'string' || id === '') throw invalid('it has no id');
  if (!Array.isArray(topics) || !topics.every(topic => typeof topic === 'string'))
    throw invalid('topics are not strings');
  if (!Array.isArray(turns) || turns.length === 0) throw invalid('it has no turns');
  const faulty = turns.findIndex(turn => !isTurn(turn));
  if (faulty >= 0)
    throw invalid(`turn ${faulty + 1} is not ["contact" or "agent", text of 1 to ${MAX_CHARACTERS} characters]`);
  const valid = turns as [Speaker, string][];
  if (valid[0]![0] !== 'contact')
    throw invalid('its first turn is not the contact’s; only a contact can start a conversation');
  return { id, topics, turns: valid };
}

function isTurn(turn: unknown): turn is [Speaker, string] {
  if (!Array.isArray(turn) || turn.length !== 2) return false;
  const [speaker, text] = turn as unknown[];
  if (speaker !== 'contact' && speaker !== 'agent') return false;
  return typeof text === 'string' && text.trim() !== '' && text.length <= MAX_CHARACTERS;
}

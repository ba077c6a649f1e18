/** A word that opens a list: `/` for saved answers, `@` for members. */
export interface Trigger {
  sign: '/' | '@';
  /** The text after the sign. */
  query: string;
  /** Where the sign stands. */
  start: number;
}

/** @param caret position in the text @returns the trigger that the caret is in */
export function findTrigger(text: string, caret: number, signs: string): Trigger | undefined {
  const before = text.slice(0, caret);
  const found = /(?:^|[\s(])([/@])([^\s/@]*)$/u.exec(before);
  const [, sign, query] = found ?? [];
  if (sign === undefined || query === undefined || !signs.includes(sign)) return undefined;
  return { sign: sign as Trigger['sign'], query, start: caret - query.length - 1 };
}

/** Replaces the word of a trigger. @returns the text, and where the caret stands then */
export function insertAt(text: string, { start, query }: Trigger, inserted: string): { text: string; caret: number } {
  const end = start + 1 + query.length;
  return { text: text.slice(0, start) + inserted + text.slice(end), caret: start + inserted.length };
}

/** A word that opens a list: `/` for saved answers, `@` for members, `:` for emoji. */
export interface Trigger {
  sign: '/' | '@' | ':';
  /** The text after the sign. */
  query: string;
  /** Where the sign stands. */
  start: number;
}

/** A time such as `:30`, or a smiley such as `:)`, is no word of an emoji. */
const EMOJI_QUERY = /^[a-z_]{2,}$/i;
const VARIABLE = /\{\{\s*([a-z_.]{1,50})\s*\}\}/g;

/** @param caret position in the text @returns the trigger that the caret is in */
export function findTrigger(text: string, caret: number, signs: string): Trigger | undefined {
  const before = text.slice(0, caret);
  const found = /(?:^|[\s(])([/@:])([^\s/@:]*)$/u.exec(before);
  const [, sign, query] = found ?? [];
  if (sign === undefined || query === undefined || !signs.includes(sign)) return undefined;
  if (sign === ':' && !EMOJI_QUERY.test(query)) return undefined;
  return { sign: sign as Trigger['sign'], query, start: caret - query.length - 1 };
}

/** Replaces the word of a trigger. @returns the text, and where the caret stands then */
export function insertAt(text: string, { start, query }: Trigger, inserted: string): { text: string; caret: number } {
  const end = start + 1 + query.length;
  return { text: text.slice(0, start) + inserted + text.slice(end), caret: start + inserted.length };
}

/** A variable of a saved answer that has no value, such as `{{contact.name}}`. */
export interface Variable {
  name: string;
  start: number;
  end: number;
}

/** @returns variables that are left in a text, in order */
export function findVariables(text: string): Variable[] {
  return [...text.matchAll(VARIABLE)].map(({ 0: whole, 1: name = '', index }) => ({
    name,
    start: index,
    end: index + whole.length,
  }));
}

/** @returns those of the mentioned members whose `@name` is still in the text */
export function mentionsIn(text: string, ids: readonly string[], nameOf: (id: string) => string | undefined): string[] {
  return ids.filter(id => {
    const name = nameOf(id);
    return name !== undefined && text.includes(`@${name}`);
  });
}

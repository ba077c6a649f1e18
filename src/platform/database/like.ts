/** A pattern that finds the text anywhere, with its own wildcards taken literally. */
export function likePattern(text: string): string {
  return `%${literally(text)}%`;
}

/** A condition of SQL, and what its parameters stand for. */
interface Condition {
  condition: string;
  parameters: Record<string, string>;
}

/**
 * That an e-mail contains the text. Where that has an `@`, what stands before it ends the address's own local part, and is
 * found by an index of those, read backwards. By its trigrams a whole address would be looked for among all that share its
 * domain; PostgreSQL takes that for cheaper than it is, so the pattern is kept away from their index.
 * @returns `:pattern` is as `likePattern` has it, also for what else is looked at beside the e-mail
 */
export function emailContains(column: string, text: string): Condition {
  const parameters = { pattern: likePattern(text) };
  const at = text.indexOf('@');
  if (at < 1) return { condition: `${column} ILIKE :pattern`, parameters };
  const backwards = [...text.slice(0, at).toLowerCase()].reverse().join('');
  return {
    condition: `(reverse(lower(split_part(${column}, '@', 1))) LIKE :backwards AND ${column} || '' ILIKE :pattern)`,
    parameters: { ...parameters, backwards: `${literally(backwards)}%` },
  };
}

function literally(text: string): string {
  return text.replace(/[\\%_]/g, sign => `\\${sign}`);
}

/** Returns a LIKE pattern that matches the text anywhere, with its wildcards escaped. */
export function likePattern(text: string): string {
  return `%${escapeWildcards(text)}%`;
}

/** An SQL condition with its parameters. */
interface Condition {
  condition: string;
  parameters: Record<string, string>;
}

/**
 * Returns a condition that an e-mail contains the text. For a text with an `@` it uses the index of reversed local
 * parts, because the text before the `@` must end the local part. The trigram index would scan all addresses of the
 * domain; PostgreSQL underestimates that cost, so `|| ''` keeps the pattern from this index.
 * @returns the condition; its parameter `:pattern` is that of `likePattern` and can be used for other columns
 */
export function emailContains(column: string, text: string): Condition {
  const parameters = { pattern: likePattern(text) };
  const at = text.indexOf('@');
  if (at < 1) return { condition: `${column} ILIKE :pattern`, parameters };
  const backwards = [...text.slice(0, at).toLowerCase()].reverse().join('');
  return {
    condition: `(reverse(lower(split_part(${column}, '@', 1))) LIKE :backwards AND ${column} || '' ILIKE :pattern)`,
    parameters: { ...parameters, backwards: `${escapeWildcards(backwards)}%` },
  };
}

function escapeWildcards(text: string): string {
  return text.replace(/[\\%_]/g, wildcard => `\\${wildcard}`);
}

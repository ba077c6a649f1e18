/** A pattern that finds the text anywhere, with its own wildcards taken literally. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, sign => `\\${sign}`)}%`;
}

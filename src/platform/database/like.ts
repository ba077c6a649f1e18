/** Returns a LIKE pattern that matches the text anywhere, with its wildcards escaped. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, wildcard => `\\${wildcard}`)}%`;
}

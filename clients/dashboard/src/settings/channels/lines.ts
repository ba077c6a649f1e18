/** Lines of a text, without spaces around and without empty ones. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}

/** A number of a field; null for an empty one, and NaN for what is no number. */
export function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

/** Tells if a field has a whole number within bounds, or may be empty and is. */
export function isWhole(text: string, min: number, max: number, mayBeEmpty = false): boolean {
  const number = numberOf(text);
  if (number === null) return mayBeEmpty;
  return Number.isInteger(number) && number >= min && number <= max;
}

/** Tells if a text is an origin as browsers send it: scheme, host and port only. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

/** The size of a JSON text: `values` counts members and elements at all levels, `depth` the nesting. */
export interface JsonMeasure {
  values: number;
  depth: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Measures a JSON text without parsing it, and stops as soon as it exceeds a limit. The result for invalid JSON is
 * meaningless; parsing fails later.
 *
 * Each comma outside a string separates two values, and each non-empty object or array has one more value than commas.
 */
export function measureJson(text: string, limits: JsonMeasure): JsonMeasure {
  const measure: JsonMeasure = { values: 0, depth: 0 };
  let nesting = 0;
  let justOpened = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (SPACE.has(code)) continue;
    const closes = CLOSE.has(code);
    if (code === COMMA || (justOpened && !closes)) measure.values += 1;
    justOpened = OPEN.has(code);
    if (justOpened) measure.depth = Math.max(measure.depth, (nesting += 1));
    else if (closes) nesting -= 1;
    else if (code === QUOTE) at = endOfString(text, at);
    if (measure.values > limits.values || measure.depth > limits.depth) break;
  }
  return measure;
}

/** @returns the index of the closing quote of the string at `start`; the text's length when it is not closed */
function endOfString(text: string, start: number): number {
  let quote = start;
  do {
    quote = text.indexOf('"', quote + 1);
    if (quote < 0) return text.length;
  } while (isEscaped(text, quote));
  return quote;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

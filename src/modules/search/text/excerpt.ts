import type { TextRange } from './matches.js';

const EXCERPT = 300;
/** Units before the first match. */
const LEAD = 100;

/** Cuts a text to 300 UTF-16 units around its first match, and moves the ranges accordingly. Cuts no surrogate pair. */
export function excerpt(text: string, ranges: readonly TextRange[]): { text: string; ranges: TextRange[] } {
  if (text.length <= EXCERPT) return { text, ranges: [...ranges] };
  const first = ranges[0]?.[0] ?? 0;
  const start = withoutHalf(text, Math.max(0, Math.min(first - LEAD, text.length - EXCERPT)));
  const end = withoutHalf(text, start + EXCERPT);
  const moved = ranges
    .filter(([from]) => from < end)
    .map(([from, to]): TextRange => [from - start, Math.min(to, end) - start]);
  return { text: text.slice(start, end), ranges: moved };
}

/** Moves a position between the halves of a surrogate pair before the pair. */
function withoutHalf(text: string, position: number): number {
  const isLow = /[\uDC00-\uDFFF]/.test(text.charAt(position));
  return isLow && /[\uD800-\uDBFF]/.test(text.charAt(position - 1)) ? position - 1 : position;
}

import type { ComponentChildren } from 'preact';

/** Text before the first match that is shown. */
const BEFORE = 40;
const SHOWN = 220;

/** A text with its matches marked, from a little before the first one. @param ranges start and end in UTF-16 units */
export function Highlighted({
  text,
  ranges = [],
}: {
  text: string;
  ranges: readonly (readonly number[])[] | undefined;
}) {
  const first = ranges[0]?.[0] ?? 0;
  const start = first > BEFORE ? text.lastIndexOf(' ', first - BEFORE) + 1 : 0;
  const end = Math.min(text.length, start + SHOWN);
  const parts: ComponentChildren[] = [];
  let at = start;
  for (const [from = 0, to = 0] of ranges) {
    if (from < at || to > end) continue;
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  parts.push(text.slice(at, end));
  return (
    <>
      {start > 0 && '… '}
      {parts}
      {end < text.length && ' …'}
    </>
  );
}

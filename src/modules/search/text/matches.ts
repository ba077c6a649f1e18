import type { Phrase, SearchQuery } from './search-query.js';
import type { Token } from './tokens.js';
import { termsOf, tokenize } from './tokens.js';

/** Start and end in UTF-16 units. */
export type TextRange = [start: number, end: number];

/** Texts by the name of their field. */
export type Fields = Readonly<Record<string, string | null>>;

/** The parts of each field that match. */
export type Highlights = Record<string, TextRange[]>;

/**
 * Compares texts with a query. Words may be spread over the fields; a phrase must be in one of them.
 * @returns null if they do not match
 */
export function highlight(query: SearchQuery, fields: Fields): Highlights | null {
  const texts = Object.entries(fields).map(([name, text]) => ({ name, text: new SearchedText(text ?? '') }));
  const has = (phrase: Phrase) => texts.some(({ text }) => text.has(phrase));
  const matched = query.filter(({ all, none }) => all.every(has) && !none.some(has));
  if (matched.length === 0) return null;
  const highlights: Highlights = {};
  for (const { name, text } of texts) {
    const ranges = matched.flatMap(({ all }) => all.flatMap(phrase => text.find(phrase)));
    if (ranges.length > 0) highlights[name] = joined(ranges);
  }
  return highlights;
}

/** A text and its terms. Its tokens are only needed if it matches. */
class SearchedText {
  private readonly terms: readonly string[];
  private tokens: readonly Token[] | undefined;

  constructor(private readonly text: string) {
    this.terms = termsOf(text);
  }

  has(phrase: Phrase): boolean {
    return this.next(phrase, 0) !== null;
  }

  /** Finds the parts of the text that match the phrase. */
  find(phrase: Phrase): TextRange[] {
    const ranges: TextRange[] = [];
    for (let position = this.next(phrase, 0); position !== null; position = this.next(phrase, position + 1)) {
      ranges.push(this.rangeOf(phrase, position));
    }
    return ranges;
  }

  /** @returns the first position from `start` at which the phrase begins; null if there is none */
  private next(phrase: Phrase, start: number): number | null {
    const [first] = phrase;
    if (!first) return null;
    for (let position = start; position < this.terms.length; position += 1) {
      if (!first.prefix) {
        position = this.terms.indexOf(first.term, position);
        if (position === -1) return null;
      }
      if (this.isAt(phrase, position)) return position;
    }
    return null;
  }

  private isAt(phrase: Phrase, position: number): boolean {
    for (const { term, prefix, offset } of phrase) {
      const found = this.terms[position + offset];
      if (prefix ? !found?.startsWith(term) : found !== term) return false;
    }
    return true;
  }

  private rangeOf(phrase: Phrase, position: number): TextRange {
    const tokens = (this.tokens ??= tokenize(this.text));
    const last = phrase.at(-1);
    const end = tokens[position + (last?.offset ?? 0)];
    return [tokens[position]?.start ?? 0, (last?.prefix ? end?.firstEnd : end?.end) ?? 0];
  }
}

/** Joins ranges that overlap, in order. */
function joined(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

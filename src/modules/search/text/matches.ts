import type { Atom, Phrase, SearchQuery } from './search-query.js';
import type { Token } from './tokens.js';
import { tokenize } from './tokens.js';

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
  const texts = Object.entries(fields).map(([name, text]) => ({ name, text: new TokenizedText(text ?? '') }));
  const has = (phrase: Phrase) => texts.some(({ text }) => text.find(phrase).length > 0);
  const matched = query.filter(({ all, none }) => all.every(has) && !none.some(has));
  if (matched.length === 0) return null;
  const highlights: Highlights = {};
  for (const { name, text } of texts) {
    const ranges = matched.flatMap(({ all }) => all.flatMap(phrase => text.find(phrase)));
    if (ranges.length > 0) highlights[name] = joined(ranges);
  }
  return highlights;
}

/** The tokens of a text, with the positions of each term. */
class TokenizedText {
  private readonly tokens: readonly Token[];
  private readonly positions = new Map<string, number[]>();

  constructor(text: string) {
    this.tokens = tokenize(text);
    for (const [position, { term }] of this.tokens.entries()) {
      const listed = this.positions.get(term);
      if (listed) listed.push(position);
      else this.positions.set(term, [position]);
    }
  }

  /** Finds the parts of the text that match the phrase. */
  find(phrase: Phrase): TextRange[] {
    return this.startsOf(phrase[0]).flatMap((position): TextRange[] => {
      const start = this.tokens[position]?.start ?? 0;
      const ends = phrase.map(atom => this.endOf(atom, position + atom.offset));
      return ends.includes(null) ? [] : [[start, ends.at(-1) ?? start]];
    });
  }

  /** The positions of tokens that match the first term of a phrase. */
  private startsOf(first: Atom | undefined): readonly number[] {
    if (!first) return [];
    if (!first.prefix) return this.positions.get(first.term) ?? [];
    return this.tokens.flatMap(({ term }, position) => (term.startsWith(first.term) ? [position] : []));
  }

  /** @returns the end of the token at this position; null if it does not match */
  private endOf({ term, prefix }: Atom, position: number): number | null {
    const token = this.tokens[position];
    if (!token) return null;
    if (prefix) return token.term.startsWith(term) ? token.firstEnd : null;
    return token.term === term ? token.end : null;
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

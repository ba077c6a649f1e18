import { normalise } from './normalise.js';

/** A part of a text, from its position `start` to `end` in UTF-16 units. */
interface Part {
  term: string;
  start: number;
  end: number;
}

/** A word, an emoji, or text of a script without spaces. */
export type Piece = ({ kind: 'word' } & Part) | ({ kind: 'emoji' } & Part) | { kind: 'run'; letters: Part[] };

/** One searchable term of a text. Its index in the list of tokens is its position. */
export interface Token extends Part {
  /** The end of the first letter of a pair of letters, else the end of the token. */
  firstEnd: number;
}

/** Longer words are cut, in texts and queries alike. */
const MAX_TERM = 64;

const RUN_LETTER =
  '(?=[\\p{L}\\p{M}\\p{Nl}])[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]';
const WORD_LETTER = `(?!${RUN_LETTER})[\\p{L}\\p{N}\\p{M}\\u00ad\\u200c\\u200d]`;
const PIECES = new RegExp(
  `(?<run>(?:${RUN_LETTER})+)|(?<word>(?!${RUN_LETTER})[\\p{L}\\p{N}](?:${WORD_LETTER})*)|(?<emoji>\\p{RI}\\p{RI}|\\p{Extended_Pictographic})`,
  'gu',
);
/** A letter with its combining marks, among them the voicing marks of half-width Katakana. */
const LETTER = /[^\p{M}\uff9e\uff9f]?[\p{M}\uff9e\uff9f]*/gu;
/** The common Chinese characters, which normalising does not change. */
const HAN = /^[\u4e00-\u9fff]$/;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[A-Za-z0-9]+/g;

/** Splits a text into words, emoji and runs of scripts without spaces. */
export function piecesOf(text: string): Piece[] {
  if (ASCII.test(text)) return Array.from(text.matchAll(ASCII_WORD), match => word(match[0], match.index));
  const pieces: Piece[] = [];
  for (const { 0: matched, index, groups = {} } of text.matchAll(PIECES)) {
    if (groups.emoji !== undefined) {
      pieces.push({ kind: 'emoji', term: matched, start: index, end: index + matched.length });
    } else if (groups.run !== undefined) {
      const letters = lettersOf(matched, index);
      if (letters.length > 0) pieces.push({ kind: 'run', letters });
    } else {
      const piece = word(matched, index);
      if (piece.term !== '') pieces.push(piece);
    }
  }
  return pieces;
}

/**
 * Splits a text into its searchable terms. A run of letters without spaces becomes overlapping pairs and its last letter,
 * so that each substring of it is found.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const piece of piecesOf(text)) {
    if (piece.kind !== 'run') tokens.push({ ...piece, firstEnd: piece.end });
    else {
      for (const [index, { term, start, end }] of piece.letters.entries()) {
        const next = piece.letters[index + 1];
        tokens.push({ term: term + (next?.term ?? ''), start, end: next?.end ?? end, firstEnd: end });
      }
    }
  }
  return tokens;
}

/** The terms of `tokenize` without their places, because the index needs no more. Most texts are plain ASCII. */
export function termsOf(text: string): string[] {
  if (!ASCII.test(text)) return tokenize(text).map(({ term }) => term);
  return (normalise(text).match(ASCII_WORD) ?? []).map(cut);
}

function word(text: string, start: number): Piece & Part {
  return { kind: 'word', term: cut(normalise(text)), start, end: start + text.length };
}

function cut(term: string): string {
  return term.length <= MAX_TERM ? term : term.slice(0, MAX_TERM).replace(/[\uD800-\uDBFF]$/, '');
}

/** One normalised letter may have come from several characters, and one character may become several letters. */
function lettersOf(run: string, offset: number): Part[] {
  const letters: Part[] = [];
  const normalised = new Map<string, string[]>();
  let start = offset;
  for (const cluster of run.match(LETTER) ?? []) {
    const end = start + cluster.length;
    let terms = normalised.get(cluster);
    if (!terms) normalised.set(cluster, (terms = HAN.test(cluster) ? [cluster] : [...normalise(cluster)]));
    for (const term of terms) letters.push({ term, start, end });
    start = end;
  }
  return letters;
}

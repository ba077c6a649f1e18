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
const EMOJI = '\\p{RI}\\p{RI}|\\p{Extended_Pictographic}';
const PIECES = new RegExp(`(?:${RUN_LETTER})+|(?!${RUN_LETTER})[\\p{L}\\p{N}](?:${WORD_LETTER})*|${EMOJI}`, 'gu');
const IS_RUN = new RegExp(`^${RUN_LETTER}`, 'u');
const IS_EMOJI = new RegExp(`^(?:${EMOJI})`, 'u');
/** A letter with its combining marks, among them the voicing marks of half-width Katakana. */
const LETTER = /[^\p{M}\uff9e\uff9f]?[\p{M}\uff9e\uff9f]*/gu;
const HAS_MARKS = /[\p{M}\uff9e\uff9f]/u;
const IS_ASTRAL = /[\ud800-\udfff]/;
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[A-Za-z0-9]+/g;

/** Splits a text into words, emoji and runs of scripts without spaces. */
export function piecesOf(text: string): Piece[] {
  if (ASCII.test(text)) return Array.from(text.matchAll(ASCII_WORD), match => word(match[0], match.index));
  return Array.from(text.matchAll(PIECES), match => pieceOf(match[0], match.index)).filter(piece => piece !== null);
}

/** @returns null if normalising leaves nothing of it */
function pieceOf(text: string, start: number): Piece | null {
  if (IS_RUN.test(text)) {
    const letters = lettersOf(text, start);
    return letters.length > 0 ? { kind: 'run', letters } : null;
  }
  return wordOrEmoji(text, start);
}

function wordOrEmoji(text: string, start: number): (Piece & Part) | null {
  if (IS_EMOJI.test(text)) return { kind: 'emoji', term: text, start, end: start + text.length };
  const piece = word(text, start);
  return piece.term === '' ? null : piece;
}

/**
 * Splits a text into its searchable terms. A run of letters without spaces becomes overlapping pairs and its last letter,
 * so that each substring of it is found.
 */
export function tokenize(text: string): Token[] {
  return piecesOf(text).flatMap(tokensOf);
}

/** The terms of `tokenize` without their places, because the index needs no more. Most texts are plain ASCII. */
export function termsOf(whole: string): string[] {
  if (ASCII.test(whole)) return (normalise(whole).match(ASCII_WORD) ?? []).map(cut);
  const terms: string[] = [];
  for (const text of whole.match(PIECES) ?? []) {
    if (IS_RUN.test(text)) addPairs(text, terms);
    else {
      const piece = wordOrEmoji(text, 0);
      if (piece) terms.push(piece.term);
    }
  }
  return terms;
}

function addPairs(run: string, terms: string[]): void {
  const normalised = normalise(run);
  // a string has pairs of surrogates as two letters
  const letters = IS_ASTRAL.test(normalised) ? [...normalised] : normalised;
  for (let index = 0; index < letters.length; index += 1) {
    terms.push(`${letters[index] ?? ''}${letters[index + 1] ?? ''}`);
  }
}

function tokensOf(piece: Piece): Token[] {
  if (piece.kind !== 'run') return [{ ...piece, firstEnd: piece.end }];
  return piece.letters.map(({ term, start, end }, index) => {
    const next = piece.letters[index + 1];
    return { term: term + (next?.term ?? ''), start, end: next?.end ?? end, firstEnd: end };
  });
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
  let start = offset;
  for (const letter of lettersIn(run)) {
    const end = start + letter.length;
    for (const term of normalise(letter)) letters.push({ term, start, end });
    start = end;
  }
  return letters;
}

function lettersIn(run: string): Iterable<string> {
  return HAS_MARKS.test(run) ? (run.match(LETTER) ?? []) : run;
}

import type { Piece } from './tokens.js';
import { piecesOf } from './tokens.js';

/** A term that must have this distance from the first term of its phrase. */
export interface Atom {
  term: string;
  /** True if longer terms match, too. */
  prefix: boolean;
  offset: number;
}

/** Consecutive terms; a single word is a phrase of one. */
export type Phrase = readonly Atom[];

/** A text matches if it has all phrases of `all` and none of `none`. */
export interface Branch {
  all: Phrase[];
  none: Phrase[];
}

/** A text matches if it matches one of the branches. */
export type SearchQuery = readonly Branch[];

const ITEM = /(?<minus>-?)(?:"(?<quoted>[^"]*)"?|(?<plain>[^\s"]+))/gu;

interface Item {
  excluded: boolean;
  quoted: boolean;
  text: string;
}

/**
 * Parses words, `"phrases"`, `-exclusions` and `or`. The last word also matches as a prefix. Several words without a space
 * between them, such as an e-mail address, are a phrase.
 * @returns null if the query names nothing to search for, or one of its alternatives has exclusions only
 */
export function parseQuery(text: string): SearchQuery | null {
  const items = itemsOf(text);
  const branches: Branch[] = [{ all: [], none: [] }];
  for (const [index, item] of items.entries()) {
    const branch = branches.at(-1) as Branch;
    const isLast = index === items.length - 1;
    if (isOr(item) && !isLast && branch.all.length + branch.none.length > 0) {
      branches.push({ all: [], none: [] });
      continue;
    }
    const phrase = phraseOf(piecesOf(item.text), isLast && !item.quoted && !item.excluded);
    if (phrase.length > 0) (item.excluded ? branch.none : branch.all).push(phrase);
  }
  const named = branches.filter(({ all, none }) => all.length + none.length > 0);
  return named.length === 0 || named.some(({ all }) => all.length === 0) ? null : named;
}

function itemsOf(text: string): Item[] {
  return Array.from(text.replace(/[“”„«»]/g, '"').matchAll(ITEM), ({ groups = {} }) => ({
    excluded: groups.minus === '-',
    quoted: groups.quoted !== undefined,
    text: groups.quoted ?? groups.plain ?? '',
  }));
}

function isOr({ excluded, quoted, text }: Item): boolean {
  return !excluded && !quoted && text.toLowerCase() === 'or';
}

/** @param prefix whether the last word also matches longer words */
function phraseOf(pieces: readonly Piece[], prefix: boolean): Phrase {
  const atoms: Atom[] = [];
  let offset = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'run') {
      const terms = piece.letters.map(({ term }) => term);
      // a single letter is the beginning of a pair, or the last letter of a run
      if (terms.length === 1) atoms.push({ term: terms.join(''), prefix: true, offset });
      for (const [at, term] of terms.slice(1).entries()) {
        atoms.push({ term: `${terms[at] ?? ''}${term}`, prefix: false, offset: offset + at });
      }
      offset += terms.length;
    } else {
      const isPrefix = prefix && piece.kind === 'word' && index === pieces.length - 1;
      atoms.push({ term: piece.term, prefix: isPrefix, offset });
      offset += 1;
    }
  }
  return atoms;
}

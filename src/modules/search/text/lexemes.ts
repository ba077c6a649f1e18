import type { Atom, Branch, Phrase, SearchQuery } from './search-query.js';
import { termsOf } from './tokens.js';

/** PostgreSQL stores no later position of a lexeme, and no more of them. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS = 255;
/** Distance between fields; a query is too short for a phrase of that length. */
const FIELD_GAP = 400;
/**
 * A document with more terms is stored without positions, and with at most as many different ones, because each is an
 * entry of the index. 20,000 characters in words have some 1,500, but as Chinese text they may have 20,000.
 */
const MAX_TERMS = 2_500;
/** Marks a document that does not have all positions, or has letters in place of pairs of them. */
const CROWDED = '*';
/** Marks a document without terms, which may match any query. No term contains this character. */
const UNLISTED = '**';
/** One or two letters of a script without spaces. A few words look like it. */
const SHORT = /^[^\0-\x7f]{1,2}$/u;

type Lexeme = (name: string) => string;

/** Returns the terms of a document by field, each list in the order of the text. */
export function termsByField(texts: readonly string[]): string[][] {
  return texts.map(termsOf);
}

/**
 * Writes the terms of a document as a `tsvector`. Each lexeme begins with the document's segment, so that an index entry
 * belongs to one segment of one workspace. Terms of different fields are too far from each other for a phrase.
 */
export function toTsvector(segment: number, fields: readonly (readonly string[])[]): string {
  const lexeme = lexemesOf(segment);
  const terms = fields.reduce((sum, field) => sum + field.length, 0);
  const last = terms + FIELD_GAP * (fields.length - 1);
  if (terms > MAX_TERMS) return withoutPositions(lexeme, fields);
  if (terms > MAX_POSITIONS || last > MAX_POSITION) return withSomePositions(lexeme, fields);
  let text = '';
  let position = 1;
  for (const field of fields) {
    // PostgreSQL merges lexemes that are listed repeatedly
    for (const term of field) text += `${lexeme(term)}:${position++} `;
    position += FIELD_GAP;
  }
  return text.trimEnd();
}

/** Like `toTsvector`, for a document that may have more positions than PostgreSQL stores. */
function withSomePositions(lexeme: Lexeme, fields: readonly (readonly string[])[]): string {
  let isCrowded = false;
  const lexemes = Array.from(positionsOf(fields), ([name, all]) => {
    const kept = all.filter(position => position <= MAX_POSITION).slice(0, MAX_POSITIONS);
    isCrowded ||= kept.length < all.length;
    return `${lexeme(name)}:${kept.length === 0 ? MAX_POSITION : kept.join(',')}`;
  });
  if (isCrowded) lexemes.push(lexeme(CROWDED));
  return lexemes.join(' ');
}

/** Like `toTsvector`, for a document of many terms. */
function withoutPositions(lexeme: Lexeme, fields: readonly (readonly string[])[]): string {
  const names = different(fields, term => [term]) ?? different(fields, lettersOf);
  return (names ? [...names, CROWDED] : [UNLISTED]).map(lexeme).join(' ');
}

/** @returns the different names of all terms; null if there are too many */
function different(
  fields: readonly (readonly string[])[],
  namesOf: (term: string) => Iterable<string>,
): Set<string> | null {
  const names = new Set<string>();
  for (const field of fields) {
    for (const term of field) {
      for (const name of namesOf(term)) names.add(name);
      if (names.size > MAX_TERMS) return null;
    }
  }
  return names;
}

function positionsOf(fields: readonly (readonly string[])[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  let next = 1;
  for (const field of fields) {
    for (const term of field) {
      const listed = positions.get(term);
      if (listed) listed.push(next);
      else positions.set(term, [next]);
      next += 1;
    }
    next += FIELD_GAP;
  }
  return positions;
}

/** Writes the query of a segment as a `tsquery`. It also matches documents whose terms or positions are not all stored. */
export function toTsquery(segment: number, query: SearchQuery): string {
  const lexeme = lexemesOf(segment);
  return [...query.map(branch => branchOf(lexeme, branch)), lexeme(UNLISTED)].join(' | ');
}

function branchOf(lexeme: Lexeme, { all, none }: Branch): string {
  const crowded = lexeme(CROWDED);
  const present = all.map(phrase =>
    isAlwaysStored(phrase)
      ? distances(lexeme, phrase)
      : `(${distances(lexeme, phrase)} | ${phrase.map(atom => termOrLetters(lexeme, atom)).join(' & ')} & ${crowded})`,
  );
  const absent = none.map(phrase =>
    isAlwaysStored(phrase) ? `!${distances(lexeme, phrase)}` : `(!(${distances(lexeme, phrase)}) | ${crowded})`,
  );
  return `(${[...present, ...absent].join(' & ')})`;
}

/** Returns whether a crowded document has the terms of the phrase if it matches, and only then. */
function isAlwaysStored(phrase: Phrase): boolean {
  return phrase.length === 1 && phrase.every(({ term }) => !SHORT.test(term));
}

function distances(lexeme: Lexeme, phrase: Phrase): string {
  return phrase
    .map((atom, index) => {
      const distance = atom.offset - (phrase[index - 1]?.offset ?? 0);
      return index === 0 ? termOf(lexeme, atom) : ` <${distance}> ${termOf(lexeme, atom)}`;
    })
    .join('');
}

function termOrLetters(lexeme: Lexeme, atom: Atom): string {
  const letters = [...lettersOf(atom.term)];
  return letters.length === 1 ? termOf(lexeme, atom) : `(${termOf(lexeme, atom)} | ${letters.map(lexeme).join(' & ')})`;
}

function termOf(lexeme: Lexeme, { term, prefix }: Atom): string {
  return `${lexeme(term)}${prefix ? ':*' : ''}`;
}

/** The terms that a crowded document may have in place of this one. */
function lettersOf(term: string): Iterable<string> {
  return SHORT.test(term) ? term : [term];
}

/** Terms consist of letters, digits and emoji, so nothing is escaped. */
function lexemesOf(segment: number): Lexeme {
  const start = `'${segment.toString(36)}/`;
  return name => `${start}${name}'`;
}

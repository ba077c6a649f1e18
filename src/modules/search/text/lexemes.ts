import type { Branch, Phrase, SearchQuery } from './search-query.js';
import { termsOf } from './tokens.js';

/** PostgreSQL stores no later position of a lexeme, and no more of them. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS = 255;
/** Distance between fields; a query is too short for a phrase of that length. */
const FIELD_GAP = 400;
/** Marks a document whose positions PostgreSQL cannot store all. No term contains this character. */
const CROWDED = '*';

/** Returns the terms of a document by field, each list in the order of the text. */
export function termsByField(texts: readonly string[]): string[][] {
  return texts.map(termsOf);
}

/**
 * Writes the terms of a document as a `tsvector`. Each lexeme begins with the document's segment, so that an index entry
 * belongs to one segment of one workspace. Terms of different fields are too far from each other for a phrase.
 */
export function toTsvector(segment: number, fields: readonly (readonly string[])[]): string {
  const terms = fields.reduce((sum, field) => sum + field.length, 0);
  const last = terms + FIELD_GAP * (fields.length - 1);
  if (terms > MAX_POSITIONS || last > MAX_POSITION) return toCrowdedTsvector(segment, fields);
  let text = '';
  let position = 1;
  for (const field of fields) {
    // PostgreSQL merges lexemes that are listed repeatedly
    for (const term of field) text += `${lexeme(segment, term)}:${position++} `;
    position += FIELD_GAP;
  }
  return text.trimEnd();
}

/** Like `toTsvector`, for a document that may have more positions than PostgreSQL stores. */
function toCrowdedTsvector(segment: number, fields: readonly (readonly string[])[]): string {
  let isCrowded = false;
  const lexemes = Array.from(positionsOf(fields), ([name, all]) => {
    const kept = all.filter(position => position <= MAX_POSITION).slice(0, MAX_POSITIONS);
    isCrowded ||= kept.length < all.length;
    return `${lexeme(segment, name)}:${kept.length === 0 ? MAX_POSITION : kept.join(',')}`;
  });
  if (isCrowded) lexemes.push(lexeme(segment, CROWDED));
  return lexemes.join(' ');
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

/** Writes the query of a segment as a `tsquery`. It also matches documents whose positions are not all stored. */
export function toTsquery(segment: number, query: SearchQuery): string {
  return query.map(branch => branchOf(segment, branch)).join(' | ');
}

function branchOf(segment: number, { all, none }: Branch): string {
  const crowded = lexeme(segment, CROWDED);
  const present = all.map(phrase =>
    phrase.length === 1
      ? distances(segment, phrase)
      : `(${distances(segment, phrase)} | ${phrase.map(atom => term(segment, atom)).join(' & ')} & ${crowded})`,
  );
  const absent = none.map(phrase =>
    phrase.length === 1 ? `!${distances(segment, phrase)}` : `(!(${distances(segment, phrase)}) | ${crowded})`,
  );
  return `(${[...present, ...absent].join(' & ')})`;
}

function distances(segment: number, phrase: Phrase): string {
  return phrase
    .map((atom, index) => {
      const distance = atom.offset - (phrase[index - 1]?.offset ?? 0);
      return index === 0 ? term(segment, atom) : ` <${distance}> ${term(segment, atom)}`;
    })
    .join('');
}

function term(segment: number, atom: { term: string; prefix: boolean }): string {
  return `${lexeme(segment, atom.term)}${atom.prefix ? ':*' : ''}`;
}

/** Terms consist of letters, digits and emoji, so nothing is escaped. */
function lexeme(segment: number, name: string): string {
  return `'${segment.toString(36)}/${name}'`;
}

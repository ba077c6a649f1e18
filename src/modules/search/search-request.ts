import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import { decodeCursor, encodeCursor } from '../../kernel/page.js';
import type { Candidate, SearchedType } from './search-document.js';
import type { SearchQuery } from './text/search-query.js';

const LIST = 'search';
/** The end of the year 9999, because PostgreSQL reads no year of five digits in this format. */
const MAX_TIME = Date.UTC(9999, 11, 31);

/** A position in the order of hits: by time, then by type and id, the newest first. */
export interface SearchPosition {
  at: Date;
  type: string;
  id: string;
}

/** A search without the limits of its caller. */
export interface SearchRequest {
  query: SearchQuery;
  types: readonly SearchedType[];
  channelId: string | undefined;
  /** ISO 8601, inclusive. */
  from: string | undefined;
  /** ISO 8601, exclusive. */
  to: string | undefined;
  /** Only hits after this one. */
  after: SearchPosition | null;
  limit: number;
}

export function positionOf({ createdAt, type, id }: Candidate): SearchPosition {
  return { at: createdAt, type, id };
}

/** The position before all hits of this time. */
export function positionBefore(at: Date): SearchPosition {
  return { at, type: '~', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
}

export function toCursor({ at, type, id }: SearchPosition): string {
  return encodeCursor(LIST, [at.getTime(), type, id]);
}

/** @throws CursorInvalid */
export function readCursor(cursor: string | undefined): SearchPosition | null {
  if (cursor === undefined) return null;
  const [at, type, id] = decodeCursor(LIST, cursor, 3);
  if (typeof at !== 'number' || typeof type !== 'string' || !isId(id)) throw new CursorInvalid();
  if (at < 0 || at > MAX_TIME) throw new CursorInvalid();
  return { at: new Date(at), type, id };
}

import { CursorInvalid } from './errors.js';
import { isId } from './ids.js';

export const PAGE_LIMIT = { default: 50, max: 200 } as const;

/** The paging parameters of a list request. `limit` is 1–200. */
export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

/** A page of a keyset-paginated list: stable under inserts, without totals. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

export type CursorPart = string | number | null;

/**
 * Encodes the sort key of the last row; opaque to clients. `list` names the order, so no list accepts another's cursor.
 */
export function encodeCursor(list: string, parts: readonly CursorPart[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString('base64url');
}

/** @throws CursorInvalid when the text is not a cursor of this list with this many parts. */
export function decodeCursor(list: string, text: string, arity: number): CursorPart[] {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw new CursorInvalid();
  }
  if (!Array.isArray(decoded) || decoded.length !== arity + 1 || decoded[0] !== list) throw new CursorInvalid();
  const parts: unknown[] = decoded.slice(1);
  if (!parts.every(isCursorPart)) throw new CursorInvalid();
  return parts;
}

function isCursorPart(part: unknown): part is CursorPart {
  return part === null || (typeof part === 'string' && !part.includes('\0')) || Number.isSafeInteger(part);
}

/** Decodes the cursor of a list that is ordered by id only. @throws CursorInvalid */
export function decodeIdCursor(list: string, text: string): string {
  const [id] = decodeCursor(list, text, 1);
  if (!isId(id)) throw new CursorInvalid();
  return id;
}

/** Makes a page of up to `limit` + 1 rows. The extra row is dropped; it only shows that another page follows. */
export function toPage<T>(rows: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}

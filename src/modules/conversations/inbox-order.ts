import { CursorInvalid } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import { decodeCursor, encodeCursor } from '../../kernel/page.js';
import type { ConversationWithContact } from './conversation-views.service.js';
import type { Priority } from './conversation.js';
import { PRIORITIES } from './conversation.js';
import type { InboxFilters, InboxQuery, Sort } from './inbox.js';

interface Order {
  /** Sort column, with the id as tie-breaker; null sorts by id alone. */
  column: 'lastActivityAt' | 'waitingSince' | null;
  direction: 'ASC' | 'DESC';
}

/** Each order matches an index. Ids ascend with time, so the newest have the highest. */
export const ORDERS: Record<Sort, Order> = {
  last_activity: { column: 'lastActivityAt', direction: 'DESC' },
  created: { column: null, direction: 'DESC' },
  waiting: { column: 'waitingSince', direction: 'ASC' },
  priority: { column: 'lastActivityAt', direction: 'DESC' },
};

/** The sort key of the last row of a page. */
export interface Position {
  priority?: Priority;
  at?: string;
  id: string;
}

/** A conversation of a list. */
export interface Row {
  record: ConversationWithContact;
  /** The time by which the list is read; null if that is the id alone. */
  at: Date | null;
}

export function listOf(sort: Sort): string {
  return `conversations.${sort}`;
}

export function cursorOf(sort: Sort, { record: { id, priority }, at }: Row): string {
  return encodeCursor(listOf(sort), [
    ...(sort === 'priority' ? [priority] : []),
    ...(at === null ? [] : [at.toISOString()]),
    id,
  ]);
}

/** @returns null without a cursor @throws CursorInvalid */
export function readCursor({ sort, cursor }: InboxQuery): Position | null {
  if (cursor === undefined) return null;
  const isDated = ORDERS[sort].column !== null;
  const parts = decodeCursor(listOf(sort), cursor, 1 + Number(isDated) + Number(sort === 'priority'));
  const [id, at, priority] = [...parts].reverse();
  if (!isId(id) || (isDated && !isRowTime(at))) throw new CursorInvalid();
  if (sort === 'priority' && !(PRIORITIES as readonly unknown[]).includes(priority)) throw new CursorInvalid();
  return { id, at: at as string, priority: priority as Priority };
}

export function directionOf({ sort, order }: InboxFilters): 'ASC' | 'DESC' {
  return order === undefined ? ORDERS[sort].direction : order === 'asc' ? 'ASC' : 'DESC';
}

/** Compares rows by what they were read by. */
export function compareRows(filters: InboxFilters): (a: Row, b: Row) => number {
  const factor = directionOf(filters) === 'ASC' ? 1 : -1;
  return (a, b) => factor * ((a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0) || (a.record.id < b.record.id ? -1 : 1));
}

/** Compares records of a page by the exact times, which may be later than those by which they were read. */
export function compareRecords(
  filters: InboxFilters,
): (a: ConversationWithContact, b: ConversationWithContact) => number {
  const factor = directionOf(filters) === 'ASC' ? 1 : -1;
  const keyOf = ({ priority, last_activity_at: at, id }: ConversationWithContact) => {
    if (filters.sort === 'created') return id;
    return filters.sort === 'priority' ? `${PRIORITIES.indexOf(priority)} ${at} ${id}` : `${at} ${id}`;
  };
  return (a, b) => factor * (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** Accepts only a time in wire format, which the database can parse. */
function isRowTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-/.test(value) || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

import type { EventMark } from './watermark.js';

/**
 * A place in the event log, opaque to clients. `identity` names the log, so that a cursor of a restored dump or of
 * another timeline is told apart; everything before `since`, a transaction's number, has been delivered.
 */
export interface LogCursor {
  identity: string;
  since: string;
  /**
   * The newest event that its holder has received. A log that does not have it has been put back to an earlier state.
   * null in cursors of the first version, which cannot prove anything.
   */
  newest: EventMark | null;
  /** Where a reader of pages is within a closed range of the log; null between ranges. */
  range: PageRange | null;
}

/** A closed range of the log, being read in order of position. */
export interface PageRange {
  /** Where the range ends, and the next one begins: a transaction's number. */
  horizon: string;
  /** Of the last event that has been read. */
  position: string;
  /** Of the last event of the range. */
  last: string;
}

/** Stands for the newest event of a log that has none. */
export const NO_EVENT: EventMark = { position: '0', mark: '0' };

const [FIRST_VERSION, VERSION] = ['1', '2'];
const NUMBER = /^\d{1,20}$/;
const MARK = /^([0-9a-f]{12}|0)$/;
/** What the database can compare a number with: of a transaction, and of a position. */
const HIGHEST = { xid: 2n ** 64n - 1n, position: 2n ** 63n - 1n } as const;

export function encodeLogCursor({ identity, since, newest, range }: LogCursor): string {
  const proof = newest ? [VERSION, identity, since, newest.position, newest.mark] : [FIRST_VERSION, identity, since];
  const parts = [...proof, ...(range ? [range.horizon, range.position, range.last] : [])];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** @returns null when the text is no cursor of any log */
export function decodeLogCursor(text: string): LogCursor | null {
  const [version, identity = '', since = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split('.');
  if (version !== VERSION && version !== FIRST_VERSION) return null;
  if (!/^[0-9a-f]{16}$/.test(identity) || !isUpTo(HIGHEST.xid, since)) return null;
  const newest = version === VERSION ? readMark(rest.splice(0, 2)) : null;
  if (version === VERSION && newest === null) return null;
  const range = rest.length === 0 ? null : readRange(rest);
  return range === undefined ? null : { identity, since, newest, range };
}

function readMark([position = '', mark = '']: string[]): EventMark | null {
  return isUpTo(HIGHEST.position, position) && MARK.test(mark) ? { position, mark } : null;
}

function readRange([horizon = '', position = '', last = '', ...more]: string[]): PageRange | undefined {
  const isRange = isUpTo(HIGHEST.xid, horizon) && isUpTo(HIGHEST.position, position, last) && more.length === 0;
  return isRange ? { horizon, position, last } : undefined;
}

function isUpTo(highest: bigint, ...numbers: string[]): boolean {
  return numbers.every(number => NUMBER.test(number) && BigInt(number) <= highest);
}

import type { EventMark } from './watermark.js';

/**
 * A position in the event log, opaque to clients. `identity` detects cursors of a restored dump or of another timeline.
 * Every event of a transaction number below `since` has been delivered.
 */
export interface LogCursor {
  identity: string;
  since: string;
  /**
   * The newest event that the client has received. A log without it was restored to an earlier state.
   * null in cursors of the first version, which cannot prove anything.
   */
  newest: EventMark | null;
  /** The position within a closed range, for page readers; null between ranges. */
  range: PageRange | null;
}

/** A closed range of the log, read in order of position. */
export interface PageRange {
  /** The transaction number at which the range ends and the next one begins. */
  horizon: string;
  /** The position of the last event that was read. */
  position: string;
  /** The position of the range's last event. */
  last: string;
}

/** The newest event of an empty log. */
export const NO_EVENT: EventMark = { position: '0', mark: '0' };

const [FIRST_VERSION, VERSION] = ['1', '2'];
const NUMBER = /^\d{1,20}$/;
const MARK = /^([0-9a-f]{12}|0)$/;
/** The largest values of the columns `xid` and `position`. */
const MAX = { xid: 2n ** 64n - 1n, position: 2n ** 63n - 1n } as const;

export function encodeLogCursor({ identity, since, newest, range }: LogCursor): string {
  const proof = newest ? [VERSION, identity, since, newest.position, newest.mark] : [FIRST_VERSION, identity, since];
  const parts = [...proof, ...(range ? [range.horizon, range.position, range.last] : [])];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** @returns null when the text is not a cursor */
export function decodeLogCursor(text: string): LogCursor | null {
  const [version, identity = '', since = '', ...rest] = Buffer.from(text, 'base64url').toString('utf8').split('.');
  if (version !== VERSION && version !== FIRST_VERSION) return null;
  if (!/^[0-9a-f]{16}$/.test(identity) || !isUpTo(MAX.xid, since)) return null;
  const newest = version === VERSION ? readMark(rest.splice(0, 2)) : null;
  if (version === VERSION && newest === null) return null;
  const range = rest.length === 0 ? null : readRange(rest);
  return range === undefined ? null : { identity, since, newest, range };
}

function readMark([position = '', mark = '']: string[]): EventMark | null {
  return isUpTo(MAX.position, position) && MARK.test(mark) ? { position, mark } : null;
}

function readRange([horizon = '', position = '', last = '', ...more]: string[]): PageRange | undefined {
  const isRange = isUpTo(MAX.xid, horizon) && isUpTo(MAX.position, position, last) && more.length === 0;
  return isRange ? { horizon, position, last } : undefined;
}

function isUpTo(max: bigint, ...numbers: string[]): boolean {
  return numbers.every(number => NUMBER.test(number) && BigInt(number) <= max);
}

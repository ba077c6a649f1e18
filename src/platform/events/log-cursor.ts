/**
 * A place in the event log, opaque to clients. `identity` names the log, so that a cursor of a restored dump or of
 * another timeline is told apart; everything before `since`, a transaction's number, has been delivered.
 */
export interface LogCursor {
  identity: string;
  since: string;
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

const VERSION = '1';
const NUMBER = /^\d{1,20}$/;
/** What the database can compare a number with: of a transaction, and of a position. */
const HIGHEST = { xid: 2n ** 64n - 1n, position: 2n ** 63n - 1n } as const;

export function encodeLogCursor({ identity, since, range }: LogCursor): string {
  const parts = [VERSION, identity, since, ...(range ? [range.horizon, range.position, range.last] : [])];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** @returns null when the text is no cursor of any log */
export function decodeLogCursor(text: string): LogCursor | null {
  const [version, identity = '', ...numbers] = Buffer.from(text, 'base64url').toString('utf8').split('.');
  const [since = '', horizon, position, last] = numbers;
  if (version !== VERSION || !/^[0-9a-f]{16}$/.test(identity) || !numbers.every(part => NUMBER.test(part))) return null;
  if (!isUpTo(HIGHEST.xid, since)) return null;
  if (horizon === undefined) return { identity, since, range: null };
  if (position === undefined || last === undefined || numbers.length > 4) return null;
  if (!isUpTo(HIGHEST.xid, horizon) || !isUpTo(HIGHEST.position, position, last)) return null;
  return { identity, since, range: { horizon, position, last } };
}

function isUpTo(highest: bigint, ...numbers: string[]): boolean {
  return numbers.every(number => number !== '' && BigInt(number) <= highest);
}

import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(10 * 256);
let unused = pool.length;
let lastMillis = 0;
let counter = 0;

/**
 * Returns a new UUIDv7 in lower case (RFC 9562): 48 bits of milliseconds, a 12-bit counter that keeps the ids of one
 * process ascending, and 62 random bits. Ascending keys write less than half the WAL of random keys.
 */
export function newId(now: number = Date.now()): string {
  if (unused >= pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  if (now > lastMillis) {
    lastMillis = now;
    counter = pool.readUInt16BE(unused) & 0x7ff;
  } else if (++counter > 0xfff) {
    lastMillis += 1;
    counter = 0;
  }
  const time = lastMillis.toString(16).padStart(12, '0');
  const variant = ((pool[unused + 2] ?? 0) & 0x3f) | 0x80;
  const random = variant.toString(16) + pool.toString('hex', unused + 3, unused + 10);
  unused += 10;
  const sequence = counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${random.slice(0, 4)}-${random.slice(4)}`;
}

/** The id of no row. It stands for a missing id where a value is needed, and sorts before every other id. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks that a value from a client has the form of an id. Other values match no row and never reach the database. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

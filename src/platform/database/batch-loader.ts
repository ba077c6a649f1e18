import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlService, Statement } from './sql.service.js';
import { statement } from './sql.service.js';

/** A query that can be run for one key, or for many keys in one statement. */
export interface Query<Key extends readonly unknown[], Row> {
  one(key: Key): Promise<Row | undefined>;
  /** Runs one statement for all keys. @returns the rows by the index of their keys; keys without a row are missing */
  many(keys: readonly Key[]): Promise<ReadonlyMap<number, Row>>;
}

/**
 * Makes a query that finds at most one row per key.
 * @param one takes the members of a key as parameters
 * @param many takes a list of each member; its rows return the index of their key, from 0, as `key_index`
 */
export function one<Key extends readonly unknown[], Row extends object>(
  sql: SqlService,
  one: Statement,
  many: Statement,
): Query<Key, Row> {
  return {
    one: key => sql.first<Row>(one, key),
    many: async keys => {
      const rows = await sql.rows<Row & { key_index: number }>(many, columnsOf(keys));
      return new Map(rows.map(row => [row.key_index, row]));
    },
  };
}

/** Makes a query that finds any number of rows per key. Parameters as for `one`. */
export function many<Key extends readonly unknown[], Row extends object>(
  sql: SqlService,
  one: Statement,
  many: Statement,
): Query<Key, Row[]> {
  return {
    one: key => sql.rows<Row>(one, key),
    many: async keys => {
      const found = new Map(keys.map((_key, index): [number, Row[]] => [index, []]));
      for (const row of await sql.rows<Row & { key_index: number }>(many, columnsOf(keys)))
        found.get(row.key_index)?.push(row);
      return found;
    },
  };
}

/** Transposes keys into one list per member. */
function columnsOf(keys: readonly (readonly unknown[])[]): unknown[][] {
  return (keys[0] ?? []).map((_member, index) => keys.map(key => key[index]));
}

/**
 * Builds the statement for one key and the statement for lists of keys from the same text. They differ only in the
 * source of the relation `lookup`, which contains the keys.
 * @param columns names and types of the columns of `lookup`, one per member of a key; a list in a key is passed as text
 * @param text builds the SQL from the source of `lookup`; the SQL must select `lookup.key_index`
 */
export function batchQuery(
  columns: Record<string, string>,
  text: (source: string) => string,
): readonly [one: Statement, many: Statement] {
  const names = Object.keys(columns).join(', ');
  const values = Object.entries(columns).map(([name, type], index) => `$${index + 1}::${type} AS ${name}`);
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const one = `(SELECT 0 AS key_index, ${values.join(', ')})`;
  const many = `(
    SELECT key_index::integer - 1 AS key_index, ${names} FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS listed (${names}, key_index))`;
  return [statement(text(`${one} AS lookup`)), statement(text(`${many} AS lookup`))];
}

interface PendingKey<Key, Row> {
  key: Key;
  callers: { resolve: (row: Row | undefined) => void; reject: (error: unknown) => void }[];
}

/** Maximum wait for a running statement. After it the waiting keys are loaded by another statement. */
const MAX_WAIT_MS = 5;
/** A statement that fails after this time did not fail because of one key, so its keys are not retried one by one. */
const LATE_MS = 1_000;

/**
 * Batches the reads of concurrent requests. Keys that arrive while a statement is running wait for the next statement,
 * which loads them all; equal keys are loaded once. A statement starts at the end of a turn of the event loop, so that keys
 * of requests that were read together share it. Under load this saves nearly all round trips, which cost more CPU than
 * the rest of a small request; a single key waits only for the end of the turn. dataloader would start a statement per
 * tick and keep what it has read.
 *
 * Rows are as fresh as without batching: a caller never gets the result of a statement that began before its call. Do
 * not use it in a unit of work, because it reads only committed rows.
 */
export class BatchLoader<Key extends readonly unknown[], Row> {
  private waiting = new Map<string, PendingKey<Key, Row>>();
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Runs statements outside the context of the request that triggers them, and outside its unit of work. */
  private readonly runOutside = AsyncLocalStorage.snapshot();

  constructor(private readonly query: Query<Key, Row>) {}

  load(...key: Key): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      if (this.running > 0) this.timer ??= setTimeout(() => this.scheduleNext(), MAX_WAIT_MS);
      else if (this.waiting.size === 0) setImmediate(() => this.scheduleNext());
      const name = JSON.stringify(key);
      const pending = this.waiting.get(name);
      if (pending) pending.callers.push({ resolve, reject });
      else this.waiting.set(name, { key, callers: [{ resolve, reject }] });
    });
  }

  private scheduleNext(): void {
    this.runOutside(() => this.flush());
  }

  /** Loads all waiting keys. */
  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const pending = [...this.waiting.values()];
    if (pending.length === 0) return;
    this.waiting = new Map();
    this.running += 1;
    const done = (): void => {
      this.running -= 1;
      if (this.waiting.size > 0) setImmediate(() => this.scheduleNext());
    };
    this.loadAll(pending).then(done, done);
  }

  private async loadAll(pending: PendingKey<Key, Row>[]): Promise<void> {
    const begun = performance.now();
    const [first] = pending;
    if (first && pending.length === 1) return this.loadOne(first);
    try {
      const rows = await this.query.many(pending.map(({ key }) => key));
      for (const [index, { callers }] of pending.entries()) for (const { resolve } of callers) resolve(rows.get(index));
    } catch (error) {
      if (performance.now() - begun < LATE_MS) await Promise.all(pending.map(one => this.loadOne(one)));
      else for (const { callers } of pending) for (const { reject } of callers) reject(error);
    }
  }

  private async loadOne({ key, callers }: PendingKey<Key, Row>): Promise<void> {
    try {
      const row = await this.query.one(key);
      for (const { resolve } of callers) resolve(row);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    }
  }
}

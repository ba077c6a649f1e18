import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sql, Statement } from './sql.js';
import { statement } from './sql.js';

/** How one kind of question is put to the database. */
export interface Query<Key extends readonly unknown[], Row> {
  one(key: Key): Promise<Row | undefined>;
  /** All in one statement. @returns what was found, by the places of their keys */
  many(keys: readonly Key[]): Promise<ReadonlyMap<number, Row>>;
}

/**
 * @param one asks by the members of a key
 * @param many asks by a list of each of these; its rows say in `place`, from 0, which key they are found by
 */
export function one<Key extends readonly unknown[], Row extends object>(
  sql: Sql,
  one: Statement,
  many: Statement,
): Query<Key, Row> {
  return {
    one: key => sql.first<Row>(one, key),
    many: async keys => {
      const rows = await sql.rows<Row & { place: number }>(many, columnsOf(keys));
      return new Map(rows.map(row => [row.place, row]));
    },
  };
}

/** The same where a key finds any number of rows. */
export function many<Key extends readonly unknown[], Row extends object>(
  sql: Sql,
  one: Statement,
  many: Statement,
): Query<Key, Row[]> {
  return {
    one: key => sql.rows<Row>(one, key),
    many: async keys => {
      const found = new Map(keys.map((_key, place): [number, Row[]] => [place, []]));
      for (const row of await sql.rows<Row & { place: number }>(many, columnsOf(keys))) found.get(row.place)?.push(row);
      return found;
    },
  };
}

/** A list of each member of the keys. */
function columnsOf(keys: readonly (readonly unknown[])[]): unknown[][] {
  return (keys[0] ?? []).map((_member, index) => keys.map(key => key[index]));
}

/**
 * A question as one statement for a key and one for lists of keys, alike but for where `asked` comes from.
 * @param columns of `asked`, with their types, by the members of a key; a list in a key is handed over as text
 * @param text of the question: it selects `asked.place`, and is given what `asked` is
 */
export function batchQuery(
  columns: Record<string, string>,
  text: (asked: string) => string,
): readonly [one: Statement, many: Statement] {
  const names = Object.keys(columns).join(', ');
  const values = Object.entries(columns).map(([name, type], index) => `$${index + 1}::${type} AS ${name}`);
  const lists = Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`);
  const one = `(SELECT 0 AS place, ${values.join(', ')})`;
  const many = `(
    SELECT place::integer - 1 AS place, ${names} FROM unnest(${lists.join(', ')}) WITH ORDINALITY AS listed (${names}, place))`;
  return [statement(text(`${one} AS asked`)), statement(text(`${many} AS asked`))];
}

interface PendingKey<Key, Row> {
  key: Key;
  callers: { hear: (row: Row | undefined) => void; fail: (error: unknown) => void }[];
}

/** Who has waited so long for a statement that is under way waits for it no longer. */
const MAX_WAIT_MS = 5;
/** A statement that fails after this has not failed for one bad key; to ask it all again would take as long again. */
const LATE_MS = 1_000;

/**
 * What every request asks, asked together: while one statement is under way, whoever comes waits for the next, which
 * answers them all, and what several ask is asked once. Those who are in step, for they went on from one answer, ask
 * together from the first statement on. A round trip costs this process more than the rest of a small request, and under
 * load nearly all of it is saved; who comes alone asks alone, as ever. Nobody hears what a statement has read that began
 * before he asked: the answer is as fresh as without this. Not for units of work: it reads what is committed.
 */
export class BatchLoader<Key extends readonly unknown[], Row> {
  private waiting = new Map<string, PendingKey<Key, Row>>();
  private running = 0;
  private timer: NodeJS.Timeout | undefined;
  /** Statements are nobody's: not of the request that happened to set them off, nor within its unit of work. */
  private readonly runOutside = AsyncLocalStorage.snapshot();

  constructor(private readonly reading: Query<Key, Row>) {}

  load(...key: Key): Promise<Row | undefined> {
    return new Promise((hear, fail) => {
      if (this.running > 0) this.timer ??= setTimeout(() => this.scheduleNext(), MAX_WAIT_MS);
      else if (this.waiting.size === 0) queueMicrotask(() => this.scheduleNext());
      const name = JSON.stringify(key);
      const question = this.waiting.get(name);
      if (question) question.callers.push({ hear, fail });
      else this.waiting.set(name, { key, callers: [{ hear, fail }] });
    });
  }

  private scheduleNext(): void {
    this.runOutside(() => this.flush());
  }

  /** Asks what has been waiting. */
  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const questions = [...this.waiting.values()];
    if (questions.length === 0) return;
    this.waiting = new Map();
    this.running += 1;
    const done = (): void => {
      this.running -= 1;
      this.scheduleNext();
    };
    this.loadAll(questions).then(done, done);
  }

  private async loadAll(questions: PendingKey<Key, Row>[]): Promise<void> {
    const begun = performance.now();
    const [first] = questions;
    if (first && questions.length === 1) return this.loadOne(first);
    try {
      const rows = await this.reading.many(questions.map(({ key }) => key));
      for (const [place, { callers: askers }] of questions.entries())
        for (const { hear } of askers) hear(rows.get(place));
    } catch (error) {
      if (performance.now() - begun < LATE_MS) await Promise.all(questions.map(question => this.loadOne(question)));
      else for (const { callers: askers } of questions) for (const { fail } of askers) fail(error);
    }
  }

  private async loadOne({ key, callers: askers }: PendingKey<Key, Row>): Promise<void> {
    try {
      const row = await this.reading.one(key);
      for (const { hear } of askers) hear(row);
    } catch (error) {
      for (const { fail } of askers) fail(error);
    }
  }
}

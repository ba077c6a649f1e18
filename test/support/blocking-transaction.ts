import { Client } from 'pg';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';

/** A transaction that blocks others until it commits. */
export interface BlockingTransaction {
  /** Waits until at least this many connections are blocked by a lock (default 1). */
  awaited(waiting?: number): Promise<void>;
  /** Runs another statement in the same transaction. */
  query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]>;
  commit(): Promise<void>;
}

/** Updates a row in a transaction that stays open, so that a test decides the order of two writers. */
export function lockRowByUpdate(
  database: TestDatabase,
  table: string,
  id: string,
  change: string,
): Promise<BlockingTransaction> {
  return openTransaction(database, `UPDATE ${table} SET ${change} WHERE id = $1`, id);
}

/** Locks a row, so that no row that refers to it can be inserted meanwhile. */
export function lockRow(database: TestDatabase, table: string, id: string): Promise<BlockingTransaction> {
  return openTransaction(database, `SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, id);
}

/** Pauses an event consumer: no instance reads for it until the transaction commits. */
export function pauseConsumer(database: TestDatabase, name: string): Promise<BlockingTransaction> {
  return openTransaction(database, 'SELECT FROM event_reader WHERE name = $1 FOR UPDATE', name);
}

/** Blocks every write to a table, whichever row it concerns. */
export function lockTable(database: TestDatabase, table: string): Promise<BlockingTransaction> {
  return openTransaction(database, `LOCK TABLE ${table} IN SHARE MODE`);
}

async function openTransaction(database: TestDatabase, statement: string, id?: string): Promise<BlockingTransaction> {
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(statement, id === undefined ? [] : [id]);
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    awaited: async (waiting = 1) => {
      await eventually(async () => (await database.query(waits))[waiting - 1]);
    },
    query: async (sql, values) => (await client.query<Record<string, unknown>>(sql, values)).rows,
    commit: async () => {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

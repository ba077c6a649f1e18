import { Client } from 'pg';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';

/** A change of a row that somebody else is about to commit. */
export interface HeldRow {
  /** Until somebody waits for the row. */
  awaited(): Promise<void>;
  commit(): Promise<void>;
}

/** Changes a row in a transaction that stays open, so that a test decides who comes first. */
export async function heldRow(database: TestDatabase, table: string, id: string, change: string): Promise<HeldRow> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`UPDATE ${table} SET ${change} WHERE id = $1`, [id]);
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    awaited: async () => {
      await eventually(async () => (await database.query(waits))[0]);
    },
    commit: async () => {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

import { DataSource } from 'typeorm';
import type { Schema } from './data-source.js';
import { dataSourceOptions } from './data-source.js';

/** Key of the advisory lock; an arbitrary number that no other lock in the cluster uses. */
const MIGRATION_LOCK = 7_246_303_115;

/**
 * Runs the pending migrations. An advisory lock serialises instances that start at the same time; it belongs to a
 * transaction, so that it cannot outlive its owner or get lost in a pooler. There is no statement timeout: building an
 * index on a large table takes minutes, and so does waiting for another instance.
 * @param url URL of PostgreSQL itself, not of a PgBouncer
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, schema: Schema, log: (line: string) => void): Promise<string[]> {
  const options = dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 0 }, schema);
  // a debug logger keeps TypeORM from printing a failed migration to the console; the error is thrown and logged anyway
  const source = new DataSource({ ...options, logger: 'debug' });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.startTransaction();
    await lock.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const ran = await source.runMigrations({ transaction: 'each' });
    for (const migration of ran) log(`migrated: ${migration.name}`);
    return ran.map(migration => migration.name);
  } finally {
    await lock.rollbackTransaction().catch(() => undefined);
    await lock.release();
    await source.destroy();
  }
}

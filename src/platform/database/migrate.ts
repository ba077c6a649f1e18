import { DataSource } from 'typeorm';
import type { Schema } from './data-source.js';
import { dataSourceOptions } from './data-source.js';

/** Any number, as long as nobody else in the cluster uses it for something else. */
const MIGRATION_LOCK = 7_246_303_115;

/**
 * Brings the schema up to date; two instances that start at once take turns. The lock belongs to a transaction, not to
 * a session, so it cannot outlive its holder or get lost in a pooler. No statement is cut short: building an index on a
 * large table takes minutes, and so does waiting for whoever builds it.
 * @param url of PostgreSQL itself, not of a PgBouncer
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, schema: Schema, log: (line: string) => void): Promise<string[]> {
  const options = dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 0 }, schema);
  // TypeORM writes a failed migration to the console, past our log; it throws as well, and that is logged.
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

import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCHEMA } from '../../src/app.module.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { discard } from './cluster.js';
import type { TestDatabase } from './database.js';
import { cloneDatabase, openDatabase } from './database.js';

/**
 * A migrated database in its own PostgreSQL server, where an open transaction delays no other test's event log. With
 * TEST_DATABASE_URL it is a clone in that cluster.
 */
export async function dedicatedDatabase(): Promise<TestDatabase> {
  if (process.env.TEST_DATABASE_URL) return cloneDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-own-'));
  chmodSync(folder, 0o711);
  const settings = { fsync: 'off', max_connections: '100', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await startEmbeddedPostgres({ dataDir: folder, database: 'own', log: () => undefined, settings });
  await migrate(server.url, SCHEMA, () => undefined);
  return openDatabase(server.url, async () => {
    await server.stop();
    discard(folder);
  });
}

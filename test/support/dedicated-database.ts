import { discard, startServer } from './cluster.js';
import { copyAll, dataFolder } from './data-folder.js';
import type { TestDatabase } from './database.js';
import { cloneDatabase, openDatabase } from './database.js';

/**
 * A migrated database in its own PostgreSQL server, where an open transaction delays no other test's event log. With
 * TEST_DATABASE_URL it is a clone in that cluster.
 */
export async function dedicatedDatabase(): Promise<TestDatabase> {
  const copy = process.env.TEST_CLUSTER_COPY;
  if (!copy) return cloneDatabase();
  const folder = dataFolder('support-chat-own-');
  copyAll(copy, folder);
  const server = await startServer(folder, { max_connections: '100' });
  return openDatabase(server.url, async () => {
    await server.stop();
    discard(folder);
  });
}

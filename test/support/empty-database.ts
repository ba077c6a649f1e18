import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { administer } from './cluster.js';
import type { TestDatabase } from './database.js';

/** A database that nobody has migrated, in the cluster of the test run. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const cluster = process.env.TEST_TEMPLATE_URL;
  if (!cluster) throw new Error('no cluster: the global set-up has not run');
  const name = `empty_${randomBytes(6).toString('hex')}`;
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  await administer(cluster, `CREATE DATABASE ${name} TEMPLATE template0`);
  const client = new Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: url.href,
    query: async <T extends object>(sql: string, values: unknown[] = []) => (await client.query<T>(sql, values)).rows,
    drop: async () => {
      await client.end();
      await administer(cluster, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { administer, databaseOf } from './cluster.js';

/** A database of a test file's own, cloned from the migrated template in a few hundredths of a second. */
export interface TestDatabase {
  url: string;
  query<T extends object>(sql: string, values?: unknown[]): Promise<T[]>;
  drop(): Promise<void>;
}

export async function cloneDatabase(): Promise<TestDatabase> {
  const templateUrl = process.env.TEST_TEMPLATE_URL;
  if (!templateUrl) throw new Error('no cluster: the global set-up has not run');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(templateUrl);
  url.pathname = `/${name}`;
  await retry(() => administer(templateUrl, `CREATE DATABASE ${name} TEMPLATE ${databaseOf(templateUrl)}`));
  const client = new Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: url.href,
    query: async <T extends object>(sql: string, values: unknown[] = []) => (await client.query<T>(sql, values)).rows,
    drop: async () => {
      await client.end();
      await administer(templateUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Two workers cannot clone one template in the same instant. */
async function retry(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise(resolve => setTimeout(resolve, 50 * Math.random() * attempt));
    }
  }
}

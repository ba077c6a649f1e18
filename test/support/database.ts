import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { administer, databaseOf } from './administer.js';
import { rememberSecret } from './known-secrets.js';
import { stoppedAtEnd } from './jest/leftovers.js';
import { assertNoSecretsStored } from './leaks.js';

/** A database that belongs to one spec file. */
export interface TestDatabase {
  url: string;
  query<T extends object>(sql: string, values?: unknown[]): Promise<T[]>;
  /** Checks the contents for secrets and drops the database. @throws Leaked if it stores a secret in clear */
  drop(): Promise<void>;
}

/** Clones the migrated template, in a few hundredths of a second. */
export async function cloneDatabase(): Promise<TestDatabase> {
  const templateUrl = templateOfRun();
  return retry(() => createDatabase('test', databaseOf(templateUrl)));
}

/** Creates a database without migrations in the cluster of the test run. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('empty', 'template0');
}

async function createDatabase(kind: string, template: string): Promise<TestDatabase> {
  const cluster = templateOfRun();
  const name = `${kind}_${randomBytes(6).toString('hex')}`;
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  await administer(cluster, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return openDatabase(url.href, () => administer(cluster, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

/** @param remove drops the database after the test's last connection has closed */
export async function openDatabase(url: string, remove: () => Promise<void>): Promise<TestDatabase> {
  rememberSecret('the password of the database', new URL(url).password);
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url,
    query: async <T extends object>(sql: string, values: unknown[] = []) => (await client.query<T>(sql, values)).rows,
    drop: stoppedAtEnd(async () => {
      try {
        await assertNoSecretsStored(client);
      } finally {
        await client.end();
        await remove();
      }
    }),
  };
}

function templateOfRun(): string {
  const url = process.env.TEST_TEMPLATE_URL;
  if (!url) throw new Error('no cluster: the global setup has not run');
  return url;
}

/** Retries, because two workers cannot clone one template at the same time. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise(resolve => setTimeout(resolve, 50 * Math.random() * attempt));
    }
  }
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, chmodSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { SCHEMA } from '../../src/app.module.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { assertNoSecretsLogged } from './leaks.js';

/** A throw-away PostgreSQL with durability switched off. */
export interface Cluster {
  /** URL of the migrated database that every spec file clones. */
  templateUrl: string;
  stop(): Promise<void>;
}

const TEMPLATE = 'template_support_chat';

/** Starts a cluster in the temp folder, or uses the one that TEST_DATABASE_URL names. */
export async function startCluster(): Promise<Cluster> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    const templateUrl = await freshTemplate(given);
    return { templateUrl, stop: () => dropTemplate(templateUrl) };
  }
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-test-'));
  chmodSync(folder, 0o711);
  const settings = { fsync: 'off', max_connections: '300', synchronous_commit: 'off', full_page_writes: 'off' };
  const embedded = await startEmbeddedPostgres({ dataDir: folder, database: TEMPLATE, log: () => undefined, settings });
  await migrate(embedded.url, SCHEMA, () => undefined);
  return {
    templateUrl: embedded.url,
    stop: async () => {
      await embedded.stop();
      discard(folder);
    },
  };
}

/** Removes a server's data folder after checking its log. @throws Leaked */
export function discard(folder: string): void {
  const lines = readFileSync(join(folder, 'postgres.log'), 'utf8').split('\n');
  rmSync(folder, { recursive: true, force: true });
  assertNoSecretsLogged(lines);
}

/** Uses a random name, so that two runs in one cluster do not collide. */
async function freshTemplate(url: string): Promise<string> {
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}_${randomBytes(4).toString('hex')}`;
  await administer(url, `CREATE DATABASE ${databaseOf(template.href)}`);
  await migrate(template.href, SCHEMA, () => undefined);
  return template.href;
}

async function dropTemplate(templateUrl: string): Promise<void> {
  await administer(templateUrl, `DROP DATABASE IF EXISTS ${databaseOf(templateUrl)} WITH (FORCE)`);
}

export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Runs statements in the cluster's `postgres` database. */
export async function administer(url: string, ...statements: string[]): Promise<void> {
  const adminUrl = new URL(url);
  adminUrl.pathname = '/postgres';
  const client = new Client({ connectionString: adminUrl.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA } from '../../src/app.module.js';
import type { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { administer, databaseOf } from './administer.js';
import { copyAll, dataFolder } from './data-folder.js';
import { assertNoSecretsLogged } from './leaks.js';

/** A throw-away PostgreSQL with durability switched off. */
export interface Cluster {
  /** URL of the migrated database that every spec file clones. */
  templateUrl: string;
  /** A copy of the stopped cluster, from which `dedicatedDatabase` starts servers. Undefined with TEST_DATABASE_URL. */
  copy?: string;
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
  const folder = dataFolder('support-chat-test-');
  const copy = dataFolder('support-chat-copy-');
  const start = () => startServer(folder, { max_connections: '300' });
  const empty = await start();
  await migrate(empty.url, SCHEMA, () => undefined);
  await makePasswordCheap(empty.url);
  await empty.stop();
  copyAll(folder, copy);
  const server = await start();
  return {
    templateUrl: server.url,
    copy,
    stop: async () => {
      await server.stop();
      rmSync(copy, { recursive: true, force: true });
      discard(folder);
    },
  };
}

/** Proves the password with one round of hashing instead of 4096: specs open thousands of connections. */
function makePasswordCheap(url: string): Promise<void> {
  const { username, password } = new URL(url);
  return administer(
    url,
    'SET scram_iterations = 1',
    `ALTER ROLE ${username} PASSWORD '${decodeURIComponent(password)}'`,
  );
}

/** Starts a server that forgets what a crash of the machine would lose. */
export function startServer(dataDir: string, settings: Record<string, string>): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir,
    database: TEMPLATE,
    log: () => undefined,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '256MB', ...settings },
  });
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

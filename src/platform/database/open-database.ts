import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Config } from '../../config/config.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';

export interface OpenDatabase {
  url: string;
  /** Stops the embedded server; nothing to do for one that is not ours. */
  close(): Promise<void>;
}

export interface StartLog {
  info(line: string): void;
  warn(line: string): void;
}

/** The configured database, or an embedded one under the data folder; waits until it answers. */
export async function openDatabase(config: Config, log: StartLog, signal?: AbortSignal): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    await waitForDatabase(config.databaseUrl, log, signal);
    return { url: config.databaseUrl, close: async () => undefined };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    database: 'support_chat',
    log: line => log.info(line),
  });
  return { url: embedded.url, close: () => embedded.stop() };
}

/** A database that is down at start is waited for, with a line in the log at each try. */
export async function waitForDatabase(url: string, log: StartLog, signal?: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (attempt > 1) log.info('the database answers');
      return;
    } catch (error) {
      const seconds = Math.min(10, attempt);
      log.warn(`the database at ${hostOf(url)} does not answer (${reason(error)}); next try in ${seconds} s`);
      await delay(seconds * 1000, undefined, signal ? { signal } : {});
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function reason(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return message || code || 'no reason given';
}

/** Where the database is, without who we are there. */
function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

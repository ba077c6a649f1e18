import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Config } from '../../config/config.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';

export interface OpenDatabase {
  url: string;
  /** Resolves when a database that this process runs has ended and is not started again; else never. */
  lost: Promise<Error>;
  /** Stops the embedded server; nothing to do for one that is not ours. */
  close(): Promise<void>;
}

export interface StartLog {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** How long production tries a database that refuses it: an orchestrator sees a start that fails, not one that hangs. */
const REFUSED_MS = 60_000;

/** The configured database, or an embedded one under the data folder; waits until it answers. */
export async function openDatabase(config: Config, log: StartLog, signal?: AbortSignal): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) {
    const refusedMs = config.production ? REFUSED_MS : Infinity;
    await waitForDatabase(config.databaseUrl, log, { ...(signal && { signal }), refusedMs });
    return { url: config.databaseUrl, lost: new Promise(() => undefined), close: async () => undefined };
  }
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>(resolve => (lose = resolve));
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    database: 'support_chat',
    log: line => log.info(line),
    keepRunning: { warn: line => log.warn(line), lost: lose },
  });
  const close = async (): Promise<void> => {
    log.info('stopping: waits for the embedded PostgreSQL');
    await embedded.stop();
  };
  return { url: embedded.url, lost, close };
}

export interface WaitOptions {
  signal?: AbortSignal;
  /** how long (ms) a database that refuses the service is tried again; Infinity by default */
  refusedMs?: number;
}

/**
 * Tries until a connection succeeds, with a line in the log at each try. A database that does not answer is waited for
 * without an end; one that answers with a refusal is a fault of the configuration and is logged as one.
 * @throws DatabaseRefused when it has refused for `refusedMs` without a break
 */
export async function waitForDatabase(
  url: string,
  log: StartLog,
  { signal, refusedMs = Infinity }: WaitOptions = {},
): Promise<void> {
  let refusedSince: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (attempt > 1) log.info('the database answers');
      return;
    } catch (error) {
      const refused = isRefusal(error);
      refusedSince = refused ? (refusedSince ?? performance.now()) : undefined;
      const left = refusedSince === undefined ? Infinity : refusedSince + refusedMs - performance.now();
      if (left <= 0) throw new DatabaseRefused(hostOf(url), refusedMs, error);
      const ms = Math.min(10_000, attempt * 1_000, left);
      const next = `next try in ${Math.ceil(ms / 1_000)} s`;
      if (refused) log.error(`the database at ${hostOf(url)} refuses the service: ${reason(error)}; ${next}`);
      else log.warn(`the database at ${hostOf(url)} does not answer (${reason(error)}); ${next}`);
      await delay(ms, undefined, signal ? { signal } : {});
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** The database answered, and lets nobody in with this role, password or name. */
export class DatabaseRefused extends Error {
  constructor(host: string, ms: number, cause: unknown) {
    super(`the database at ${host} has refused the service for ${Math.round(ms / 1_000)} s: ${reason(cause)}`, {
      cause,
    });
  }
}

/** PostgreSQL: invalid authorization (class 28), no such database, no right to connect. */
const REFUSED_STATE = /^(28...|3D000|42501)$/;
/** PgBouncer gives its refusals the state of a protocol violation. */
const REFUSED_BY_POOLER = /no such (database|user)|does not exist|auth(entication)? failed/i;
/** Node's codes for a certificate that is not accepted. */
const REFUSED_CERTIFICATE = /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_)/;
/** pg's own, which have no code: a password that is missing, and a server without TLS. */
const REFUSED_BY_CLIENT = /client password must be a|does not support SSL/;

function isRefusal(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (REFUSED_STATE.test(code) || REFUSED_CERTIFICATE.test(code)) return true;
  return code === '08P01' ? REFUSED_BY_POOLER.test(message) : REFUSED_BY_CLIENT.test(message);
}

function reason(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (error instanceof DatabaseError) return `${message} (${code})`;
  return message || code || 'no reason given';
}

/** Where the database is, without who we are there. */
function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

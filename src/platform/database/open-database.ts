import { setTimeout as delay } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Config } from '../../config/config.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';

export interface OpenDatabase {
  url: string;
  /** Resolves when the embedded server has ended and is not restarted. Never resolves for an external database. */
  lost: Promise<Error>;
  /** Stops the embedded server. Does nothing for an external database. */
  close(): Promise<void>;
}

export interface StartLog {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
}

/** Time for which production retries a database that refuses it. The start then fails, so an orchestrator notices. */
const REFUSED_MS = 60_000;

/** Connects to the configured database, or starts the embedded one. Waits until it responds. */
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

interface WaitOptions {
  signal?: AbortSignal;
  /** Time (ms) for which a database that refuses the service is retried; Infinity by default. */
  refusedMs?: number;
}

/**
 * Retries until a connection succeeds, and logs each failed attempt. It waits without limit for a database that does
 * not answer. A database that refuses the service is logged as a configuration error.
 * @throws DatabaseRefused when the database has refused continuously for `refusedMs`
 */
async function waitForDatabase(
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

/** The database answered but rejected the role, password or database name. */
class DatabaseRefused extends Error {
  constructor(host: string, ms: number, cause: unknown) {
    super(`the database at ${host} has refused the service for ${Math.round(ms / 1_000)} s: ${reason(cause)}`, {
      cause,
    });
  }
}

/** SQLSTATEs of a refusal: invalid authorization (class 28), unknown database, missing CONNECT privilege. */
const REFUSED_STATE = /^(28...|3D000|42501)$/;
/** PgBouncer reports refusals as protocol violations, so its messages are matched. */
const REFUSED_BY_POOLER = /no such (database|user)|does not exist|auth(entication)? failed/i;
/** Node's error codes for a rejected certificate. */
const REFUSED_CERTIFICATE = /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_)/;
/** Errors of the pg client without a code: a missing password, or a server without TLS. */
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

/** Returns host and database name of a URL, without credentials. */
function hostOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

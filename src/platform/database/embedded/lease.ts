import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError, type QueryResult } from 'pg';
import { ROLE } from './cluster.js';

/** 'supp' in ASCII: the key of the advisory lock that every user of the server has in shared mode. */
const LOCK = 0x73757070;

/** Methods of pg's Client that its types omit. */
type Session = Client & { ref(): void; unref(): void };

/** Maximum time (ms) that a new user waits for the last one to stop the server, which takes 20 s at most. */
const STOPPING_MS = 25_000;

/** Interval (ms) and number of attempts to reopen a lost session. A crashed server is back within seconds. */
const RENEWAL_MS = 1_000;
const MAX_RENEWALS = 120;

/**
 * A session that marks this process as a user of the server, by a shared advisory lock. Several processes (the service
 * and a migration) share one server, and the last one stops it. PostgreSQL counts the locks, so a killed process no
 * longer counts. A lease does not keep its own process running.
 */
export class Lease {
  private released = false;
  private ended = false;
  private listener: (() => void) | undefined;

  private constructor(
    private session: Session,
    private readonly reopen: () => Promise<Session | undefined>,
  ) {
    this.watch();
  }

  /**
   * Registers as a user of the server of `cluster`. While the last user stops the server it waits, and then fails.
   *
   * @returns undefined when no server answers, it belongs to another cluster, or it is stopping; try again
   * @throws Error of one line when the server rejects the password
   */
  static async acquire(cluster: string, port: number, password: string): Promise<Lease | undefined> {
    const open = (): Promise<Session | undefined> => openSession(cluster, port, password);
    const session = await open();
    return session && new Lease(session, open);
  }

  /** Sets the listener for a lost session, which is then not reopened. Called once, also when it is already lost. */
  onLoss(listener: () => void): void {
    this.listener = listener;
    if (this.ended) this.notifyLoss(listener);
  }

  async ensureDatabase(name: string): Promise<void> {
    const { rowCount } = await this.query('SELECT FROM pg_database WHERE datname = $1', name);
    if (rowCount) return;
    await this.query(`CREATE DATABASE ${this.session.escapeIdentifier(name)}`).catch((error: unknown) => {
      // duplicate_database, or a unique violation when two processes create it at once
      if (!(error instanceof DatabaseError && ['42P04', '23505'].includes(error.code ?? ''))) throw error;
    });
  }

  /**
   * Releases the lease. Returns true when it was the last: the caller must then stop the server, and call `end`
   * afterwards. Until then new users wait in `acquire`. Also true when the session is lost, because the server has ended
   * or is ending.
   */
  async release(): Promise<boolean> {
    this.released = true;
    try {
      await this.query('SELECT pg_advisory_unlock_shared($1)', LOCK);
      const { rows } = await this.query('SELECT pg_try_advisory_lock($1) AS last', LOCK);
      if ((rows[0] as { last: boolean }).last) return true;
    } catch {
      return true;
    }
    await this.end();
    return false;
  }

  /** Ends the session. New users wait no longer, also if the server still runs because another process restarted it. */
  async end(): Promise<void> {
    this.session.ref();
    await this.session.end().catch(() => undefined);
  }

  /** Reopens a lost session. When one backend crashes, PostgreSQL ends all sessions but keeps running. */
  private watch(): void {
    this.session.once('end', () => {
      this.ended = true;
      if (this.listener) this.notifyLoss(this.listener);
      else void this.renew();
    });
  }

  private notifyLoss(listener: () => void): void {
    if (this.released) return;
    this.released = true;
    listener();
  }

  private async renew(): Promise<void> {
    for (let attempt = 0; attempt < MAX_RENEWALS && !this.released; attempt++) {
      await sleep(RENEWAL_MS, undefined, { ref: false });
      const session = this.released ? undefined : await this.reopen().catch(() => undefined);
      if (!session) continue;
      if (this.released) return void session.end().catch(() => undefined);
      this.session = session;
      this.ended = false;
      return this.watch();
    }
  }

  /** Runs a query and keeps the process alive meanwhile, because the session is unreferenced otherwise. */
  private async query(sql: string, ...values: unknown[]): Promise<QueryResult> {
    this.session.ref();
    try {
      return await this.session.query(sql, values);
    } finally {
      this.session.unref();
    }
  }
}

async function openSession(cluster: string, port: number, password: string): Promise<Session | undefined> {
  const address = { host: '127.0.0.1', port, user: ROLE, password, database: 'postgres' };
  const timeouts = { connectionTimeoutMillis: 5_000, lock_timeout: STOPPING_MS };
  const options = { ...address, ...timeouts, application_name: 'lease' };
  const session = new Client(options) as Session;
  session.on('error', () => undefined); // `end` follows
  try {
    await session.connect();
    const { rows } = await session.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
    if (rows[0]?.folder === cluster) {
      await session.query('SET idle_session_timeout = 0');
      await session.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
      session.unref();
      return session;
    }
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '28P01') {
      throw new Error(`the PostgreSQL of ${cluster} rejects the password in postgres.password; restore that file`);
    }
  }
  await session.end().catch(() => undefined);
  return undefined;
}

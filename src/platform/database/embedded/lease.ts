import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError, type QueryResult } from 'pg';
import { ROLE } from './cluster.js';

/** 'supp' in ASCII: the advisory lock that everyone who uses the server holds shared, in the database `postgres`. */
const LOCK = 0x73757070;

/** pg has these and its types lack them. */
type Session = Client & { ref(): void; unref(): void };

/** How often (ms), and how many times, a lost session is opened again: a crashed server is back within seconds. */
const RENEWAL_MS = 1_000;
const RENEWALS = 120;

/**
 * A session that says "I use this server" until it ends, by whatever death: the service and a migration run beside it
 * share one server, and the last of them turns off the light. PostgreSQL does the counting, so a process that was
 * killed counts no more. It keeps the server running, not the process that holds it.
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
   * Joins the users of the server of `cluster`. Waits while the last user is stopping it, and then fails with it.
   *
   * @returns undefined when nobody answers there, or another cluster, or the server is stopping: look again
   * @throws one line when the server does not take the password
   */
  static async acquire(cluster: string, port: number, password: string): Promise<Lease | undefined> {
    const open = (): Promise<Session | undefined> => openSession(cluster, port, password);
    const session = await open();
    return session && new Lease(session, open);
  }

  /** From now on a lost session is not opened again: the listener takes a new lease. Called once, also if it is lost. */
  onLoss(listener: () => void): void {
    this.listener = listener;
    if (this.ended) this.lose(listener);
  }

  async ensureDatabase(name: string): Promise<void> {
    const { rowCount } = await this.query('SELECT FROM pg_database WHERE datname = $1', name);
    if (rowCount) return;
    await this.query(`CREATE DATABASE ${this.session.escapeIdentifier(name)}`).catch((error: unknown) => {
      // duplicate_database, or the index of names when two create it at once
      if (!(error instanceof DatabaseError && ['42P04', '23505'].includes(error.code ?? ''))) throw error;
    });
  }

  /**
   * Gives the lease back. True when nobody else holds one: the server is then the caller's to stop, and whoever comes
   * now waits in `take` until it is gone. Also true when the session is lost: the server is gone or going.
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
    this.session.ref();
    await this.session.end().catch(() => undefined);
    return false;
  }

  /** When one backend crashes, PostgreSQL ends every session and lives on: its users must be counted again. */
  private watch(): void {
    this.session.once('end', () => {
      this.ended = true;
      if (this.listener) this.lose(this.listener);
      else void this.renew();
    });
  }

  private lose(listener: () => void): void {
    if (this.released) return;
    this.released = true;
    listener();
  }

  private async renew(): Promise<void> {
    for (let tries = 0; tries < RENEWALS && !this.released; tries++) {
      await sleep(RENEWAL_MS, undefined, { ref: false });
      const session = this.released ? undefined : await this.reopen().catch(() => undefined);
      if (!session) continue;
      if (this.released) return void session.end().catch(() => undefined);
      this.session = session;
      this.ended = false;
      return this.watch();
    }
  }

  /** With the process kept alive for its duration: a top-level await on it would otherwise end the program. */
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
  const options = { ...address, application_name: 'lease', connectionTimeoutMillis: 5_000 };
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
      throw new Error(
        `the PostgreSQL of ${cluster} does not take the password in postgres.password; restore that file`,
      );
    }
  }
  await session.end().catch(() => undefined);
  return undefined;
}

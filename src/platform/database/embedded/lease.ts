import { Client, DatabaseError, type QueryResult } from 'pg';
import { ROLE } from './cluster.js';

/** 'supp' in ASCII: the advisory lock that everyone who uses the server holds shared, in the database `postgres`. */
const LOCK = 0x73757070;

/** pg has these and its types lack them. */
type Session = Client & { ref(): void; unref(): void };

/**
 * A session that says "I use this server" until it ends, by whatever death: the service and a migration run beside it
 * share one server, and the last of them turns off the light. PostgreSQL does the counting, so a process that was
 * killed counts no more. It keeps the server running, not the process that holds it.
 */
export class Lease {
  private constructor(private readonly session: Session) {}

  /**
   * Connects, makes sure that the server is that of `cluster`, and joins its users. Waits while the last user is
   * stopping it, and then fails with it.
   *
   * @returns undefined when nobody answers there, or another cluster, or the server is stopping: look again
   * @throws one line when the server does not take the password
   */
  static async take(cluster: string, port: number, password: string): Promise<Lease | undefined> {
    const address = { host: '127.0.0.1', port, user: ROLE, password, database: 'postgres' };
    const options = { ...address, application_name: 'lease', connectionTimeoutMillis: 5_000 };
    const session = new Client(options) as Session;
    session.on('error', () => undefined); // the server went away under us; its users notice by themselves
    try {
      await session.connect();
      const { rows } = await session.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
      if (rows[0]?.folder === cluster) {
        await session.query('SET idle_session_timeout = 0');
        await session.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
        session.unref();
        return new Lease(session);
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
   * now waits in `take` until it is gone. Also true when the session was lost, as after a crash of the server.
   */
  async isLast(): Promise<boolean> {
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

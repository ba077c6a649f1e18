import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { isPreparedStatementMissing } from './database-errors.js';
import { UnitOfWork } from './unit-of-work.js';

/** A statement that is prepared once per connection. Create it with `statement` at module level. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Milliseconds; DATABASE_QUERY_TIMEOUT_MS by default. */
  readonly timeout?: number;
}

/** Creates a statement. Its name is a hash of its text, so instances of different versions never share a name. */
export function statement(text: string, options: { timeout?: number } = {}): Statement {
  return { ...options, text, name: `s_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}` };
}

interface PgPool {
  query<T extends object>(query: object): Promise<QueryResult<T>>;
}

/**
 * Executes hand-written SQL as named statements, on the pool or on the connection of the current unit of work.
 * TypeORM's `query()` never uses prepared statements; the pg pool does, which halves the time of a small query.
 */
@Injectable()
export class SqlService {
  private named: boolean;

  constructor(
    private readonly source: DataSource,
    private readonly units: UnitOfWork,
    config: Config,
  ) {
    this.named = config.databasePrepared !== 'off';
  }

  /** @param timeout remaining milliseconds, when less than the limit of the statement */
  async rows<T extends object>(statement: Statement, values: readonly unknown[] = [], timeout?: number): Promise<T[]> {
    return (await this.run<T>(statement, values, timeout)).rows;
  }

  /** Runs a statement that was built for one request, without preparing it. @param timeout in milliseconds */
  async once<T extends object>(text: string, values: readonly unknown[], timeout?: number): Promise<T[]> {
    return (await this.run<T>({ name: '', text }, values, timeout)).rows;
  }

  async first<T extends object>(statement: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
    return (await this.run<T>(statement, values)).rows[0];
  }

  /** Runs a statement and returns the number of affected rows. */
  async count(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return (await this.run(statement, values)).rowCount ?? 0;
  }

  private async run<T extends object>(
    { name, text, ...options }: Statement,
    values: readonly unknown[],
    timeout: number | undefined = options.timeout,
  ): Promise<QueryResult<T>> {
    const runner = this.units.runner;
    const target = runner ? ((await runner.connect()) as PoolClient) : pool(this.source);
    const query = { text, values: [...values], ...(timeout === undefined ? {} : { query_timeout: timeout }) };
    // read once: another statement may turn this off while ours is running
    const named = this.named;
    try {
      if (timeout !== undefined) await this.units.extendLimit(timeout);
      return await target.query<T>(named ? { ...query, name } : query);
    } catch (error) {
      if (!named || !isPreparedStatementMissing(error)) throw error;
      this.named = false;
      // an error aborts the transaction, so the unit of work repeats all of it
      if (runner) throw error;
      return target.query<T>(query);
    }
  }
}

/** Returns the pg pool from TypeORM's internal `driver.master`; a test checks that it is still there. */
function pool(source: DataSource): PgPool {
  return (source.driver as unknown as { master: PgPool }).master;
}

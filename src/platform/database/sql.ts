import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { PoolClient, QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { isPreparedStatementMissing } from './database-errors.js';
import { UnitOfWork } from './unit-of-work.js';

/** A statement that is written once and prepared once per connection. Make it at module level with `statement`. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Milliseconds; else DATABASE_QUERY_TIMEOUT_MS. */
  readonly timeout?: number;
}

/** Names a statement by its text, so that two instances of different age never mean different things by one name. */
export function statement(text: string, options: { timeout?: number } = {}): Statement {
  return { ...options, text, name: `s_${createHash('sha256').update(text).digest('base64url').slice(0, 16)}` };
}

interface PgPool {
  query<T extends object>(query: object): Promise<QueryResult<T>>;
}

/**
 * The one executor of hand-written SQL: named statements on the pool, or on the present unit of work's connection.
 * `ds.query()` never prepares; the pg pool underneath does, which is half of the time of a small query.
 */
@Injectable()
export class Sql {
  private named: boolean;

  constructor(
    private readonly source: DataSource,
    private readonly units: UnitOfWork,
    config: Config,
  ) {
    this.named = config.databasePrepared !== 'off';
  }

  /** @param timeout milliseconds that are left for it, where that is less than the statement's own limit */
  async rows<T extends object>(statement: Statement, values: readonly unknown[] = [], timeout?: number): Promise<T[]> {
    return (await this.run<T>(statement, values, timeout)).rows;
  }

  async first<T extends object>(statement: Statement, values: readonly unknown[] = []): Promise<T | undefined> {
    return (await this.run<T>(statement, values)).rows[0];
  }

  /** How many rows the statement touched. */
  async count(statement: Statement, values: readonly unknown[] = []): Promise<number> {
    return (await this.run(statement, values)).rowCount ?? 0;
  }

  private async run<T extends object>(
    { name, text, ...own }: Statement,
    values: readonly unknown[],
    timeout: number | undefined = own.timeout,
  ): Promise<QueryResult<T>> {
    const runner = this.units.runner;
    const target = runner ? ((await runner.connect()) as PoolClient) : pool(this.source);
    const query = { text, values: [...values], ...(timeout === undefined ? {} : { query_timeout: timeout }) };
    // others may be under way with a name when the first of them fails
    const named = this.named;
    try {
      if (timeout !== undefined) await this.units.extendLimit(timeout);
      return await target.query<T>(named ? { ...query, name } : query);
    } catch (error) {
      if (!named || !isPreparedStatementMissing(error)) throw error;
      this.named = false;
      // a transaction is over with its first error: the unit of work tries all of it again
      if (runner) throw error;
      return target.query<T>(query);
    }
  }
}

/** TypeORM keeps the pg pool in `driver.master`; a contract test watches that it still does. */
export function pool(source: DataSource): PgPool {
  return (source.driver as unknown as { master: PgPool }).master;
}

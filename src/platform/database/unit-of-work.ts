import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PoolClient } from 'pg';
import { Config } from '../../config/config.js';
import { DomainError } from '../../kernel/domain-error.js';
import {
  isSessionTerminated,
  isUnavailable,
  isTransactionConflict,
  isPreparedStatementMissing,
} from './database-errors.js';
import { KeyedConcurrencyQueue } from './keyed-concurrency-queue.js';
import type { TransactionLimits } from './transaction-limits.js';
import { beginWith, serverLimit, transactionLimits } from './transaction-limits.js';

interface Unit {
  /** Tests run several applications in one process. */
  owner: UnitOfWork;
  runner: QueryRunner;
  /** Current server-side statement timeout. */
  statementMs: number;
  afterCommit: (() => void)[];
  /** True once COMMIT was sent; from then on the outcome is unknown until the answer. */
  committing: boolean;
  /** The error by which the connection was lost during the unit. */
  connectionError?: Error;
}

export interface UnitOptions {
  /** Id of the contended row that the unit will lock, if known in advance. */
  row?: string | undefined;
  /** Milliseconds for each lock, if less than DATABASE_LOCK_TIMEOUT_MS are left. */
  lockMs?: number | undefined;
}

/** One for the process, because Node passes each storage that was ever used on to every promise. */
const units = new AsyncLocalStorage<Unit>();

const MAX_ATTEMPTS = 4;
/** Concurrent transactions per row: one works while the next already waits for the lock. */
const MAX_PER_ROW = 2;
/** Minimum lock timeout that remains after the wait in the queue. */
const MIN_LOCK_MS = 100;

/**
 * Runs each public write of a service in one transaction, which contains its rows and its events. The current unit is
 * ambient, so repositories join it without a parameter. A nested `run` joins the outer unit.
 */
@Injectable()
export class UnitOfWork {
  private readonly rows = new KeyedConcurrencyQueue(MAX_PER_ROW);
  private readonly limits: TransactionLimits;

  constructor(
    private readonly dataSource: DataSource,
    config: Config,
  ) {
    this.limits = transactionLimits(config);
  }

  private get current(): Unit | undefined {
    const unit = units.getStore();
    return unit?.owner === this ? unit : undefined;
  }

  get active(): boolean {
    return this.current !== undefined;
  }

  /**
   * Throws inside a unit of work. Slow operations would block its connection and its locks, and delay the event log.
   * @throws Error that names the operation
   */
  assertNoneActive(operation: string): void {
    if (this.active) throw new Error(`${operation} inside a unit of work`);
  }

  /** The entity manager of the current unit, or of the pool outside a unit. */
  get manager(): EntityManager {
    return this.current?.runner.manager ?? this.dataSource.manager;
  }

  /** The query runner of the current unit. */
  get runner(): QueryRunner | undefined {
    return this.current?.runner;
  }

  /**
   * Runs the work in one transaction. It is repeated after a deadlock or serialization failure, and after a connection
   * that was lost before COMMIT, because nothing has happened then. So the work must have no effects that a rollback
   * does not undo; use `afterCommit` for those. A COMMIT without an answer is never repeated, because it may have
   * succeeded.
   *
   * Only a few units with the same `row` use a connection; the others queue in front of the pool. The waits in the
   * queue and for the lock together do not exceed the lock timeout, if no other instance waits for the same row.
   * @throws the error of the work; an error that maps to 503 when the database is unavailable
   */
  async run<T>(work: () => Promise<T>, { row, lockMs = this.limits.lockMs }: UnitOptions = {}): Promise<T> {
    if (this.active) return work();
    if (row === undefined || this.limits.lockMs === 0) return this.repeat(work, { ...this.limits, lockMs });
    const queuedAt = performance.now();
    return this.rows.run(row, lockMs, () => {
      const left = Math.max(MIN_LOCK_MS, Math.ceil(lockMs - (performance.now() - queuedAt)));
      return this.repeat(work, { ...this.limits, lockMs: left });
    });
  }

  /**
   * Raises the statement timeout of the current unit to `ms`. Does nothing outside a unit or when it is already higher.
   */
  async extendLimit(ms: number): Promise<void> {
    const unit = this.current;
    if (!unit || ms <= unit.statementMs) return;
    unit.statementMs = ms;
    await unit.runner.query(`SET LOCAL statement_timeout = ${serverLimit(ms)}`);
  }

  private async repeat<T>(work: () => Promise<T>, limits: TransactionLimits): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const unit: Unit = {
        owner: this,
        runner: this.dataSource.createQueryRunner(),
        statementMs: limits.statementMs || Infinity,
        afterCommit: [],
        committing: false,
      };
      try {
        return await this.runOnce(unit, limits, work);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRepeatable(unit, error)) throw causeOf(unit, error);
        await new Promise(resolve => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  /**
   * Runs a part of the current unit. A failure undoes only this part; parts can be nested. After a rollback the
   * savepoint is released as well, because an outer part with the same name would otherwise find the inner one.
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const unit = this.requireUnit('savepoint');
    const hooks = unit.afterCommit.length;
    await unit.runner.query('SAVEPOINT part');
    try {
      const result = await work();
      await unit.runner.query('RELEASE SAVEPOINT part');
      return result;
    } catch (error) {
      unit.afterCommit.length = hooks;
      await unit.runner.query('ROLLBACK TO SAVEPOINT part');
      await unit.runner.query('RELEASE SAVEPOINT part');
      throw error;
    }
  }

  /** Registers a hook that runs after the current unit has committed, and not after a rollback. It must not throw. */
  afterCommit(hook: () => void): void {
    this.requireUnit('afterCommit').afterCommit.push(hook);
  }

  private requireUnit(operation: string): Unit {
    const unit = this.current;
    if (!unit) throw new Error(`${operation} outside a unit of work`);
    return unit;
  }

  /** Begins the transaction with its limits, which TypeORM cannot do, and marks it as active for TypeORM. */
  private async begin(runner: QueryRunner, limits: TransactionLimits): Promise<void> {
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    await runner.query(beginWith(limits));
  }

  private async runOnce<T>(unit: Unit, limits: TransactionLimits, work: () => Promise<T>): Promise<T> {
    const { runner } = unit;
    const connection = (await runner.connect()) as PoolClient;
    const onError = (error: Error): void => void (unit.connectionError ??= error);
    connection.on('error', onError);
    try {
      await this.begin(runner, limits);
      const result = await units.run(unit, work);
      if (unit.connectionError !== undefined) throw unit.connectionError;
      unit.committing = true;
      await runner.commitTransaction();
      for (const hook of unit.afterCommit) hook();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      connection.off('error', onError);
      await runner.release().catch(() => undefined);
    }
  }
}

function isRepeatable(unit: Unit, error: unknown): boolean {
  if (error instanceof DomainError) return false;
  if (isTransactionConflict(error)) return true;
  return (
    !unit.committing &&
    (unit.connectionError !== undefined || isSessionTerminated(error) || isPreparedStatementMissing(error))
  );
}

/**
 * Returns the connection error in place of TypeORM's error after a lost connection. TypeORM only reports a released
 * query runner, which would look like an internal error.
 */
function causeOf({ connectionError }: Unit, error: unknown): unknown {
  if (connectionError === undefined || error instanceof DomainError || isUnavailable(error)) return error;
  return connectionError;
}

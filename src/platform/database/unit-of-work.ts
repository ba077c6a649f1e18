import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PoolClient } from 'pg';
import { Config } from '../../config/config.js';
import { DomainError } from '../../kernel/domain-error.js';
import { isSessionTerminated, isUnavailable, isTransactionConflict, isPreparedStatementMissing } from './database-errors.js';
import { RowQueue } from './row-queue.js';
import type { TransactionLimits } from './transaction-limits.js';
import { beginWith, serverLimit, transactionLimits } from './transaction-limits.js';

interface Work {
  runner: QueryRunner;
  /** How long the server lets a statement take. */
  statementMs: number;
  afterCommit: (() => void)[];
  /** From here on nobody but the database knows whether it has happened. */
  committing: boolean;
  /** What the connection was lost by, in the middle of the unit. */
  lost?: Error;
}

export interface UnitOptions {
  /** The row that the unit locks and that others want too: what is known of it in advance, its id. */
  row?: string | undefined;
}

const ATTEMPTS = 4;
/** One transaction works, the next waits at the lock already. */
const PER_ROW = 2;
/** The least that is left of a wait for a lock, after the wait for a connection. */
const LEAST_LOCK_MS = 100;

/**
 * One public write of a service is one unit of work: one transaction, its rows and its events together. The unit is
 * ambient, so repositories join it without being handed anything; a unit inside a unit is the same unit.
 */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<Work>();
  private readonly rows = new RowQueue(PER_ROW);
  private readonly limits: TransactionLimits;

  constructor(
    private readonly dataSource: DataSource,
    config: Config,
  ) {
    this.limits = transactionLimits(config);
  }

  get active(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Slow work holds the unit's connection and locks, and the log's tail behind it. @throws Error in a unit of work */
  assertNoneActive(what: string): void {
    if (this.active) throw new Error(`${what} inside a unit of work`);
  }

  /** The manager of the present unit, or, outside of one, of the pool. */
  get manager(): EntityManager {
    return this.current.getStore()?.runner.manager ?? this.dataSource.manager;
  }

  /** The query runner of the present unit. */
  get runner(): QueryRunner | undefined {
    return this.current.getStore()?.runner;
  }

  /**
   * Runs the work in one transaction: all of it, or nothing. After a deadlock or a serialization failure it is tried
   * again, and also after the loss of its connection before COMMIT was sent: nothing of it has happened then. So the
   * work must not do anything that a rollback does not undo; use `afterCommit` for that. A COMMIT without an answer is
   * never repeated: it may have happened.
   *
   * Of the units that name the same row a few take a connection, the others queue before the pool; together with the wait
   * for the lock that takes no longer than the lock may.
   * @throws what the work throws; else what is 503 at the edge, when the database cannot be asked
   */
  async run<T>(work: () => Promise<T>, { row }: UnitOptions = {}): Promise<T> {
    if (this.active) return work();
    const { lockMs } = this.limits;
    if (row === undefined || lockMs === 0) return this.repeat(work, this.limits);
    const asked = performance.now();
    return this.rows.run(row, lockMs, () => {
      const left = Math.max(LEAST_LOCK_MS, Math.ceil(lockMs - (performance.now() - asked)));
      return this.repeat(work, { ...this.limits, lockMs: left });
    });
  }

  /** Lets the present unit's statements take longer, where they may; does nothing outside of a unit. */
  async extendLimit(ms: number): Promise<void> {
    const unit = this.current.getStore();
    if (!unit || ms <= unit.statementMs) return;
    unit.statementMs = ms;
    await unit.runner.query(`SET LOCAL statement_timeout = ${serverLimit(ms)}`);
  }

  private async repeat<T>(work: () => Promise<T>, limits: TransactionLimits): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const unit: Work = {
        runner: this.dataSource.createQueryRunner(),
        statementMs: limits.statementMs || Infinity,
        afterCommit: [],
        committing: false,
      };
      try {
        return await this.once(unit, limits, work);
      } catch (error) {
        if (attempt >= ATTEMPTS || !mayBeRepeated(unit, error)) throw causeOf(unit, error);
        await new Promise(resolve => setTimeout(resolve, Math.random() * 20 * attempt));
      }
    }
  }

  /**
   * Runs part of the present unit so that its failure undoes that part alone, also inside another part: rolling back to
   * a savepoint keeps it, so it is released too, or the outer part's name would find the inner one.
   */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const unit = this.mine('savepoint');
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

  /** Runs once the present unit has committed, never when it is rolled back. Must not throw. */
  afterCommit(hook: () => void): void {
    this.mine('afterCommit').afterCommit.push(hook);
  }

  private mine(what: string): Work {
    const unit = this.current.getStore();
    if (!unit) throw new Error(`${what} outside a unit of work`);
    return unit;
  }

  /** TypeORM's own beginning has no room for the limits; it takes part all the same, for it asks whether there is one. */
  private async begin(runner: QueryRunner, limits: TransactionLimits): Promise<void> {
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    await runner.query(beginWith(limits));
  }

  private async once<T>(unit: Work, limits: TransactionLimits, work: () => Promise<T>): Promise<T> {
    const { runner } = unit;
    const connection = (await runner.connect()) as PoolClient;
    const lose = (error: Error): void => void (unit.lost ??= error);
    connection.on('error', lose);
    try {
      await this.begin(runner, limits);
      const result = await this.current.run(unit, work);
      if (unit.lost !== undefined) throw unit.lost;
      unit.committing = true;
      await runner.commitTransaction();
      for (const hook of unit.afterCommit) hook();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      connection.off('error', lose);
      await runner.release().catch(() => undefined);
    }
  }
}

function mayBeRepeated(unit: Work, error: unknown): boolean {
  if (error instanceof DomainError) return false;
  if (isTransactionConflict(error)) return true;
  return !unit.committing && (unit.lost !== undefined || isSessionTerminated(error) || isPreparedStatementMissing(error));
}

/** TypeORM says of a lost connection only that its runner was released, which would look like a fault of ours. */
function causeOf({ lost }: Work, error: unknown): unknown {
  return lost === undefined || error instanceof DomainError || isUnavailable(error) ? error : lost;
}

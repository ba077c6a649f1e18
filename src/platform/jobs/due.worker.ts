import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Config } from '../../config/config.js';
import { KeyedConcurrencyQueue } from '../database/keyed-concurrency-queue.js';
import type { UnitOptions } from '../database/unit-of-work.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { Backlog } from './backlog.js';
import { PostponedRows } from './postponed-rows.js';
import { WorkerMetricsService } from './worker-metrics.service.js';

export interface DueRow {
  id: string;
  workspaceId: string;
}

/** Which due rows a worker asks for. */
export interface DueQuery {
  now: Date;
  limit: number;
  /** Workspaces that already had their share, while others still wait. */
  exceptWorkspaceIds: readonly string[];
  /** Rows that failed or were locked a moment ago. */
  exceptIds: readonly string[];
}

/** The dependencies of `DueWorker`, so that subclasses inject one. */
@Injectable()
export class WorkerDependencies {
  private readonly connections: KeyedConcurrencyQueue;

  constructor(
    readonly units: UnitOfWork,
    readonly clock: Clock,
    readonly metrics: WorkerMetricsService,
    { databasePoolSize }: Config,
  ) {
    this.connections = new KeyedConcurrencyQueue(Math.max(1, Math.floor(databasePoolSize * POOL_SHARE)));
  }

  /** Runs the work in a unit of work when a connection of the workers' share is free. */
  transaction<T>(work: () => Promise<T>, options?: UnitOptions): Promise<T> {
    return this.query(() => this.units.run(work, options));
  }

  /** Runs a single statement when a connection of the workers' share is free. */
  query<T>(run: () => Promise<T>): Promise<T> {
    return this.connections.run('workers', CONNECTION_WAIT_MS, run);
  }
}

/** Share of the connection pool that all workers of an instance use together, however much is due. */
const POOL_SHARE = 0.3;
const CONNECTION_WAIT_MS = 30_000;
const INTERVAL_MS = 1_000;
const MEASURE_MS = 10_000;
const MAX_REST_MS = 5_000;
/** Maximum wait for rows under way when the service stops. A leased row becomes due again. */
const STOP_MS = 5_000;
/** Rows of one workspace after which the others go first. */
const SHARE = 10;

/**
 * Base class of workers for rows that become due: a snooze that ends, a mail to send. The rows are the queue, so nothing
 * is lost in a crash, and what is due while every instance is down is done afterwards. All instances work, each row is
 * worked off by one of them.
 *
 * A worker looks once a second and whenever `wake` is called. Workspaces take turns. A row that fails is retried after a
 * pause that doubles up to a minute, and delays no other row.
 */
@Injectable()
export abstract class DueWorker<Row extends DueRow> implements OnApplicationBootstrap, OnApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly postponed = new PostponedRows();
  /** Work must not belong to the request that wakes the worker. */
  private readonly runOutside = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private woken = false;
  private stopped = false;
  private measuredAt = -Infinity;

  /** Label in the metrics, plural: `snoozes`. */
  protected abstract readonly name: string;
  /** Rows that are worked off at the same time. */
  protected readonly concurrency: number = 2;
  protected readonly batchSize: number = 50;
  /** The share of the time, above 0, in which each of them works. A low share leaves the rest of the time to requests. */
  protected readonly share: number = 1;

  constructor(protected readonly dependencies: WorkerDependencies) {}

  /**
   * Finds due rows, oldest first. If `work` leaves the database, the same statement leases them: it moves their due time
   * forward (`FOR UPDATE SKIP LOCKED`), so that no other instance takes them meanwhile and a crash makes them due again.
   */
  protected abstract claim(query: DueQuery): Promise<Row[]>;

  /**
   * Works off one row. Without a lease it must lock the row and check that it is still due, because other instances
   * found it too.
   * @returns false if the row is locked; it is tried again after a second
   */
  protected abstract work(row: Row, now: Date): Promise<boolean>;

  /** Counts the due rows. */
  protected abstract measure(now: Date): Promise<Backlog>;

  onApplicationBootstrap(): void {
    this.schedule(0);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.race([this.running, delay(STOP_MS, undefined, { ref: false })]);
  }

  /** Looks for due rows now. */
  wake(): void {
    this.woken = true;
    if (!this.running) this.schedule(0);
  }

  /** Looks for due rows once the current unit of work has committed. */
  wakeAfterCommit(): void {
    this.dependencies.units.afterCommit(() => this.wake());
  }

  /** Runs a unit of work for one row. */
  protected transaction<T>(work: () => Promise<T>, options?: UnitOptions): Promise<T> {
    return this.dependencies.transaction(work, options);
  }

  /** Works until nothing is due. */
  async runUntilDone(): Promise<void> {
    const served = new Set<string>();
    while (!this.stopped) {
      const now = this.dependencies.clock.now();
      const query = {
        now,
        limit: this.batchSize,
        exceptWorkspaceIds: [...served],
        exceptIds: this.postponed.ids(),
      };
      const rows = await this.dependencies.query(() => this.claim(query));
      if (rows.length === 0 && served.size === 0) return;
      if (rows.length === 0) served.clear();
      for (const id of workspacesOverShare(rows)) served.add(id);
      await this.workAll(rows, now);
    }
  }

  private async workAll(rows: readonly Row[], now: Date): Promise<void> {
    const queue = rows.values();
    const lane = async (): Promise<void> => {
      for (const row of queue) if (!this.stopped) await this.workOne(row, now);
    };
    await Promise.all(Array.from({ length: Math.min(this.concurrency, rows.length) }, lane));
  }

  private async workOne(row: Row, now: Date): Promise<void> {
    const { metrics } = this.dependencies;
    const begun = performance.now();
    try {
      const done = await this.work(row, now);
      if (done) this.postponed.remove(row.id);
      else this.postponed.add(row.id, INTERVAL_MS);
      metrics.count(this.name, done ? 'done' : 'locked');
    } catch (error) {
      const pause = this.postponed.addFailed(row.id);
      metrics.count(this.name, 'failed');
      this.logger.warn(`row ${row.id} of ${this.name} failed and is retried in ${pause / 1_000} s: ${String(error)}`);
    }
    const rest = Math.min(MAX_REST_MS, (performance.now() - begun) * (1 / this.share - 1));
    if (rest > 0 && !this.stopped) await delay(rest, undefined, { ref: false });
  }

  private schedule(pause: number): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.timer = this.runOutside(() => setTimeout(() => void (this.running = this.runOnce()), pause).unref());
  }

  private async runOnce(): Promise<void> {
    this.woken = false;
    try {
      await this.runUntilDone();
      await this.measureSometimes();
    } catch (error) {
      this.logger.warn(`${this.name} cannot be worked off: ${String(error)}`);
    }
    this.running = undefined;
    this.schedule(this.woken ? 0 : INTERVAL_MS);
  }

  private async measureSometimes(): Promise<void> {
    if (performance.now() - this.measuredAt < MEASURE_MS) return;
    this.measuredAt = performance.now();
    const now = this.dependencies.clock.now();
    const { count, oldest } = await this.dependencies.query(() => this.measure(now));
    this.dependencies.metrics.setBacklog(
      this.name,
      count,
      oldest === null ? 0 : (now.getTime() - oldest.getTime()) / 1_000,
    );
  }
}

/** Workspaces with so many rows in a batch that the next batch is for the others. */
function workspacesOverShare(rows: readonly DueRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { workspaceId } of rows) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= SHARE).map(([id]) => id);
}

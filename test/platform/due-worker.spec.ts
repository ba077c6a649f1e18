import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { newId } from '../../src/kernel/ids.js';
import { SqlService, statement } from '../../src/platform/database/sql.service.js';
import type { Backlog } from '../../src/platform/jobs/backlog.js';
import { BACKLOG_LIMIT } from '../../src/platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../src/platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../src/platform/jobs/due.worker.js';
import { eventually } from '../support/eventually.js';
import { lockRow } from '../support/blocking-transaction.js';
import { TwoInstances } from '../support/two-instances.js';
import type { World } from '../support/world.js';

const DUE = statement(`
  SELECT id, workspace_id AS "workspaceId" FROM reminder
  WHERE due_at <= $1 AND done = 0 AND workspace_id <> ALL($3) AND id <> ALL($4) ORDER BY due_at, id LIMIT $2`);
const LOCK = statement('SELECT id FROM reminder WHERE id = $1 AND due_at <= $2 AND done = 0 FOR UPDATE SKIP LOCKED');
const DONE = statement('UPDATE reminder SET done = done + 1, done_at = clock_timestamp() WHERE id = $1');
const STILL_DUE = statement('SELECT 1 FROM reminder WHERE id = $1 AND done = 0');
const BACKLOG = statement(`
  SELECT count(*)::int AS count, min(due_at) AS oldest
  FROM (SELECT due_at FROM reminder WHERE done = 0 AND due_at <= $1 ORDER BY due_at LIMIT ${BACKLOG_LIMIT}) AS due`);

/** Marks due rows as done. */
class Reminders extends DueWorker<DueRow> {
  protected readonly name = 'reminders';
  /** Runs in the unit of work of each row, after its effect. */
  afterEffect: (id: string) => Promise<void> = () => Promise.resolve();

  constructor(
    dependencies: WorkerDependencies,
    private readonly sql: SqlService,
  ) {
    super(dependencies);
  }

  protected claim({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  protected work({ id }: DueRow, now: Date): Promise<boolean> {
    return this.transaction(async () => {
      if (!(await this.sql.first(LOCK, [id, now]))) return (await this.sql.first(STILL_DUE, [id])) === undefined;
      await this.sql.count(DONE, [id]);
      await this.afterEffect(id);
      return true;
    });
  }

  protected async measure(now: Date): Promise<Backlog> {
    return (await this.sql.first<Backlog>(BACKLOG, [now])) ?? { count: 0, oldest: null };
  }
}

describe('A worker for due rows', () => {
  let instances: TwoInstances;
  let world: World;
  let other: World;
  const started: Reminders[] = [];
  beforeAll(async () => {
    instances = await TwoInstances.start();
    [world, other] = instances.worlds;
    await instances.database.query(
      `CREATE TABLE reminder (id uuid PRIMARY KEY, workspace_id uuid, due_at timestamptz, done int DEFAULT 0, done_at timestamptz)`,
    );
  });
  afterAll(() => instances.stop());
  beforeEach(async () => {
    await instances.database.query('DELETE FROM reminder');
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map(worker => worker.onApplicationShutdown()));
    jest.restoreAllMocks();
  });

  const newWorker = (of = world) => new Reminders(of.app.app.get(WorkerDependencies), of.app.app.get(SqlService));
  const start = (worker: Reminders): Reminders => {
    started.push(worker);
    worker.onApplicationBootstrap();
    return worker;
  };
  /** Inserts rows that are due in `seconds` of the service's clock. */
  async function insert(count: number, seconds = 0, workspaceId = newId()): Promise<string[]> {
    const ids = Array.from({ length: count }, () => newId());
    const dueAt = new Date(world.app.clock.now().getTime() + seconds * 1_000);
    await instances.database.query(
      'INSERT INTO reminder (id, workspace_id, due_at) SELECT unnest($1::uuid[]), $2, $3',
      [ids, workspaceId, dueAt],
    );
    return ids;
  }
  const doneCounts = async (): Promise<number[]> =>
    (await instances.database.query<{ done: number }>('SELECT done FROM reminder')).map(({ done }) => done);

  it('Two instances work off every due row once.', async () => {
    await insert(300);
    await Promise.all([newWorker(), newWorker(other)].map(worker => worker.runUntilDone()));
    expect(await doneCounts()).toEqual(Array(300).fill(1));
  });

  it('A row is not worked off before its time by the clock of the service, and within two seconds after it.', async () => {
    await insert(1, 3_600);
    const worker = newWorker();
    await worker.runUntilDone();
    expect(await doneCounts()).toEqual([0]);
    start(worker);
    world.app.clock.advance(3_601);
    await eventually(async () => (await doneCounts())[0] === 1 || undefined);
    world.app.clock.reset();
  });

  it('A commit wakes the worker.', async () => {
    const worker = newWorker();
    const claims = jest.spyOn(worker as unknown as { claim: () => unknown }, 'claim');
    start(worker);
    await eventually(() => claims.mock.calls.length > 0 || undefined);
    const { units } = world.app.app.get(WorkerDependencies);
    const before = claims.mock.calls.length;
    const began = performance.now();
    await units.run(async () => {
      worker.wakeAfterCommit();
      await Promise.resolve();
    });
    await eventually(() => claims.mock.calls.length > before || undefined);
    expect(performance.now() - began).toBeLessThan(900);
  });

  it('A row that fails is undone, delays no other row, and is retried.', async () => {
    const [broken] = await insert(1, -10);
    await insert(60, 0);
    const worker = newWorker();
    worker.afterEffect = id => (id === broken ? Promise.reject(new Error('planned')) : Promise.resolve());
    await worker.runUntilDone();
    expect((await doneCounts()).toSorted((a, b) => a - b)).toEqual([0, ...Array<number>(60).fill(1)]);
    worker.afterEffect = () => Promise.resolve();
    start(worker);
    await eventually(async () => (await doneCounts()).every(done => done === 1) || undefined);
  });

  it('A row that is locked delays no other row, and is worked off once it is released.', async () => {
    const [locked] = await insert(1, 0);
    const lock = await lockRow(instances.database, 'reminder', locked ?? '');
    await insert(20, 0);
    start(newWorker());
    await eventually(async () => (await doneCounts()).filter(Boolean).length === 20 || undefined);
    expect((await doneCounts()).toSorted((a, b) => a - b)).toEqual([0, ...Array<number>(20).fill(1)]);
    await lock.commit();
    await eventually(async () => (await doneCounts()).every(done => done === 1) || undefined);
  });

  it('A workspace with many due rows does not delay another one.', async () => {
    await insert(1_000, -60);
    const [single] = await insert(1, 0);
    const worker = newWorker();
    const order: string[] = [];
    worker.afterEffect = id => {
      order.push(id);
      return Promise.resolve();
    };
    await worker.runUntilDone();
    expect(order).toHaveLength(1_001);
    expect(order.indexOf(single ?? '')).toBeLessThanOrEqual(51);
  });

  it('A worker that stops finishes its rows under way and begins no other.', async () => {
    await insert(50);
    const worker = newWorker();
    const underWay: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>(resolve => (release = resolve));
    worker.afterEffect = async id => {
      underWay.push(id);
      await released;
    };
    worker.onApplicationBootstrap();
    await eventually(() => underWay.length > 0 || undefined);
    const stopped = worker.onApplicationShutdown();
    release();
    await stopped;
    const done = (await doneCounts()).filter(Boolean).length;
    expect(done).toBe(underWay.length);
    expect(done).toBeLessThan(5);
  });

  it('Workers together use at most their share of the connection pool.', async () => {
    await insert(40);
    const workers = Array.from({ length: 5 }, () => newWorker());
    let active = 0;
    let max = 0;
    for (const worker of workers)
      worker.afterEffect = async () => {
        max = Math.max(max, (active += 1));
        await new Promise(resolve => setTimeout(resolve, 20));
        active -= 1;
      };
    await Promise.all(workers.map(worker => worker.runUntilDone()));
    expect(max).toBeGreaterThan(1);
    expect(max).toBeLessThanOrEqual(Math.floor(world.app.config.databasePoolSize * 0.3));
    expect(await doneCounts()).toEqual(Array(40).fill(1));
  });

  it('The metrics show the number of due rows and the age of the oldest.', async () => {
    await insert(3, -30);
    const worker = newWorker();
    worker.afterEffect = () => Promise.reject(new Error('planned'));
    start(worker);
    const value = async (name: string) => {
      const metric = await world.app.app.get(Registry).getSingleMetric(name)?.get();
      return metric?.values.find(({ labels }) => labels.worker === 'reminders')?.value;
    };
    await eventually(async () => (await value('worker_due_rows')) === 3 || undefined);
    expect(await value('worker_oldest_due_seconds')).toBeGreaterThanOrEqual(30);
  });
});

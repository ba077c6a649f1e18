import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { DataSource } from 'typeorm';
import { NotFound } from '../../src/kernel/errors.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { isUnavailable } from '../../src/platform/database/database-errors.js';
import { SqlService, statement } from '../../src/platform/database/sql.service.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { ReadinessRepository } from '../../src/platform/health/readiness.repository.js';
import { ReadinessService } from '../../src/platform/health/readiness.service.js';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { dedicatedDatabase } from '../support/dedicated-database.js';
import { race } from '../support/race.js';
import { TcpProxy } from '../support/tcp-proxy.js';

interface Pool {
  totalCount: number;
  idleCount: number;
}

const poolOf = (app: TestApp) => (app.app.get(DataSource).driver as unknown as { master: Pool }).master;
const WRITE = statement('INSERT INTO thing (name) VALUES ($1)');
const PID = statement('SELECT pg_backend_pid() AS pid');

describe('A unit of work whose session an administrator terminates', () => {
  let database: TestDatabase;
  let app: TestApp;
  let units: UnitOfWork;
  let sql: SqlService;
  let attempts: number;
  beforeAll(async () => {
    database = await dedicatedDatabase();
    app = await startApp({}, { database });
    units = app.app.get(UnitOfWork);
    sql = app.app.get(SqlService);
    await database.query('CREATE TABLE thing (id text PRIMARY KEY DEFAULT gen_random_uuid(), name text)');
  });
  afterAll(async () => {
    await app.stop();
    await database.drop();
  });
  beforeEach(async () => {
    attempts = 0;
    await database.query('TRUNCATE thing');
  });

  const names = async () => (await database.query<{ name: string }>('SELECT name FROM thing')).map(({ name }) => name);
  const pid = async () => (await sql.first<{ pid: number }>(PID))?.pid;
  const terminate = (session: number | undefined) =>
    database.query('SELECT pg_terminate_backend($1, 5000) AS ended', [session]);
  const write = {
    'with a named statement': () => sql.rows(WRITE, ['kept']),
    'with TypeORM': () => units.manager.query('INSERT INTO thing (name) VALUES ($1)', ['kept']),
  };

  it.each(Object.entries(write))(
    'A unit of work that loses its session between two statements is retried once: %s.',
    async (_how, writing) => {
      const committed: number[] = [];
      await units.run(async () => {
        attempts += 1;
        const attempt = attempts;
        units.afterCommit(() => committed.push(attempt));
        await writing();
        if (attempts === 1) await terminate(await pid());
        await writing();
      });
      expect(attempts).toBe(2);
      expect(committed).toEqual([2]);
      expect(await names()).toEqual(['kept', 'kept']);
    },
  );

  it('A unit of work that loses its session during a statement is retried once.', async () => {
    await database.query(`INSERT INTO thing (id, name) VALUES ('held', 'left')`);
    const row = await lockRowByUpdate(database, 'thing', 'held', 'name = name');
    let session: number | undefined;
    const unit = units.run(async () => {
      attempts += 1;
      session = await pid();
      await units.manager.query(`UPDATE thing SET name = name || ' and found' WHERE id = 'held'`);
    });
    await row.awaited();
    await terminate(session);
    await row.awaited();
    await row.commit();
    await unit;
    expect(attempts).toBe(2);
    expect(await names()).toEqual(['left and found']);
  });

  it('A unit of work that loses its session before COMMIT is retried once.', async () => {
    await units.run(async () => {
      attempts += 1;
      await sql.rows(WRITE, ['kept']);
      if (attempts === 1) await terminate(await pid());
    });
    expect(attempts).toBe(2);
    expect(await names()).toEqual(['kept']);
  });

  it('A unit of work that loses its session inside a savepoint is retried as a whole.', async () => {
    await units.run(async () => {
      attempts += 1;
      await sql.rows(WRITE, ['whole']);
      await units.savepoint(async () => {
        if (attempts === 1) await terminate(await pid());
        await sql.rows(WRITE, ['part']);
      });
    });
    expect(attempts).toBe(2);
    expect((await names()).sort()).toEqual(['part', 'whole']);
  });

  it('A unit of work that loses its session during COMMIT is not retried, because the outcome is unknown.', async () => {
    await database.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON thing DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    const committed: string[] = [];
    let session: number | undefined;
    const unit = units.run(async () => {
      attempts += 1;
      units.afterCommit(() => committed.push('never'));
      session = await pid();
      await sql.rows(WRITE, ['doubtful']);
    });
    const failure = unit.then(
      () => undefined,
      (error: unknown) => error,
    );
    const committing = `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND query = 'COMMIT' AND wait_event = 'PgSleep'`;
    await eventually(async () => (await database.query(committing, [session]))[0]);
    await terminate(session);
    const error = await failure;
    await database.query('DROP TRIGGER slow ON thing; DROP FUNCTION dawdle');
    expect(error).toMatchObject({ driverError: { code: '57P01' } });
    expect(isUnavailable(error)).toBe(true);
    expect(attempts).toBe(1);
    expect(committed).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('A unit of work that loses its session on every attempt fails as unavailable (503).', async () => {
    const unit = units.run(async () => {
      attempts += 1;
      await terminate(await pid());
      await sql.rows(WRITE, ['lost']);
    });
    const error = await unit.catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    expect(attempts).toBe(4);
  });

  it('A unit of work that loses its session and then throws fails with its own error.', async () => {
    const unit = units.run(async () => {
      attempts += 1;
      await terminate(await pid());
      throw new NotFound();
    });
    await expect(unit).rejects.toThrow(NotFound);
    expect(attempts).toBe(1);
  });

  it('A unit of work returns its connection to the pool however it ends.', async () => {
    await race(12, () =>
      units.run(async () => {
        attempts += 1;
        if (attempts <= 6) await terminate(await pid());
        await sql.rows(WRITE, ['kept']);
      }),
    );
    expect(await names()).toHaveLength(12);
    await eventually(() => (poolOf(app).idleCount === poolOf(app).totalCount ? true : undefined));
  });
});

describe('A database that accepts connections but never answers', () => {
  const LIMIT = 400;
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: TestApp;
  let units: UnitOfWork;
  beforeAll(async () => {
    database = await dedicatedDatabase();
    proxy = await TcpProxy.start(database.url);
    const settings = { DATABASE_QUERY_TIMEOUT_MS: String(LIMIT), DATABASE_POOL_SIZE: '4' };
    const start = () => startApp(settings, { database: { ...database, url: proxy.rewriteUrl(database.url) } });
    // On a busy machine the first connections may take longer than the timeout.
    app = await eventually(() => start().catch(() => undefined), 60_000);
    units = app.app.get(UnitOfWork);
    await database.query('CREATE TABLE thing (name text)');
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await app.stop();
    await proxy.stop();
    await database.drop();
  });

  /** Runs four calls at once until all succeed: opening a connection may take a busy machine longer than the timeout. */
  const allSucceed = (attempt: () => Promise<unknown>) =>
    eventually(() =>
      race(4, attempt).then(
        () => true,
        () => undefined,
      ),
    );
  /** Opens the maximum number of connections. */
  const fill = () => allSucceed(() => app.app.get(DataSource).query('SELECT pg_sleep(0.1)'));
  const ways: Record<string, () => Promise<unknown>> = {
    'a named statement': () => app.app.get(SqlService).first(PID),
    'a statement of TypeORM': () => app.app.get(DataSource).query('SELECT 1'),
    'a unit of work': () => units.run(() => units.manager.query('SELECT 1')),
  };

  it.each(Object.entries(ways))(
    'A silent database delays a caller no longer than the query timeout and leaks no connection: %s.',
    async (_name, attempt) => {
      await fill();
      proxy.swallow();
      const began = performance.now();
      const outcomes = await race(4, () => attempt().catch((error: unknown) => error));
      expect(performance.now() - began).toBeLessThan(2 * LIMIT);
      expect(outcomes.map(isUnavailable)).toEqual([true, true, true, true]);
      expect(poolOf(app).idleCount).toBe(0);
      await proxy.heal();
      await allSucceed(attempt);
    },
  );

  it('A database that falls silent inside a unit of work fails it with 503, without a retry and without effect.', async () => {
    let attempts = 0;
    await fill();
    const began = performance.now();
    const unit = units.run(async () => {
      attempts += 1;
      await units.manager.query(`INSERT INTO thing (name) VALUES ('lost')`);
      proxy.swallow();
      await units.manager.query(`INSERT INTO thing (name) VALUES ('lost')`);
    });
    const error = await unit.catch((thrown: unknown) => thrown);
    expect(performance.now() - began).toBeLessThan(2 * LIMIT);
    expect(isUnavailable(error)).toBe(true);
    expect(attempts).toBe(1);
    expect(poolOf(app).totalCount).toBeLessThan(4);
    await proxy.heal();
    expect(await database.query('SELECT name FROM thing')).toEqual([]);
  });

  it('Readiness checks share one statement to a silent database and report it down within about a second.', async () => {
    const readiness = app.app.get(ReadinessService);
    await fill();
    expect(await readiness.check()).toMatchObject({ ready: true });
    const repository = app.app.get(ReadinessRepository);
    const pings = jest.spyOn(repository, 'ping');
    proxy.swallow();
    const began = performance.now();
    const probes = race(30, () => readiness.check());
    expect(new Set((await probes).map(({ database: state }) => state))).toEqual(new Set(['down']));
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(pings).toHaveBeenCalledTimes(1);
    pings.mockRestore();
    await proxy.heal();
    await eventually(async () => ((await readiness.check()).ready ? true : undefined));
  });

  it('Callers that wait for a free connection to a silent database fail within the same timeout.', async () => {
    await fill();
    proxy.swallow();
    const began = performance.now();
    const outcomes = await race(9, () => units.run(() => units.manager.query('SELECT 1')).catch((e: unknown) => e));
    expect(performance.now() - began).toBeLessThan(2 * LIMIT);
    expect(outcomes.map(isUnavailable)).toEqual(Array(9).fill(true));
  });
});

describe('A database that terminates sessions as they begin', () => {
  /** Encodes a protocol message: letter, length, body. */
  const message = (letter: string, ...body: (string | number)[]) => {
    const bytes = Buffer.concat(body.map(part => (typeof part === 'string' ? Buffer.from(part) : int32(part))));
    return Buffer.concat([Buffer.from(letter), int32(bytes.length + 4), bytes]);
  };
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const GREETING = [message('R', 0), message('K', 1, 1), message('Z', 'I')];
  const TERMINATION = message('E', 'SFATAL\0', 'C57P01\0', 'Mterminating connection\0', '\0');

  let server: Server;
  beforeAll(async () => {
    // Both in one packet, as when an administrator terminates all sessions while new ones open.
    server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([...GREETING, TERMINATION])));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise(resolve => server.close(resolve)));

  it('A session that is terminated as it begins fails as unavailable and does not end the process.', async () => {
    const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
    const schema = { entities: [], migrations: [] };
    const source = new DataSource(dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 1_000 }, schema));
    const error = await source.initialize().catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import { DataSource } from 'typeorm';
import { NotFound } from '../../src/kernel/errors.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { isUnavailable } from '../../src/platform/database/database-errors.js';
import { Sql, statement } from '../../src/platform/database/sql.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { ReadinessRepository } from '../../src/platform/health/readiness.repository.js';
import { ReadinessService } from '../../src/platform/health/readiness.service.js';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { heldRow } from '../support/held-row.js';
import { ownDatabase } from '../support/own-database.js';
import { race } from '../support/race.js';
import { TcpProxy } from '../support/tcp-proxy.js';

interface Pool {
  totalCount: number;
  idleCount: number;
}

const poolOf = (app: TestApp) => (app.app.get(DataSource).driver as unknown as { master: Pool }).master;
const WRITE = statement('INSERT INTO thing (name) VALUES ($1)');
const PID = statement('SELECT pg_backend_pid() AS pid');

describe('a unit of work whose session an administrator ends', () => {
  let database: TestDatabase;
  let app: TestApp;
  let units: UnitOfWork;
  let sql: Sql;
  let attempts: number;
  beforeAll(async () => {
    database = await ownDatabase();
    app = await startApp({}, { database });
    units = app.app.get(UnitOfWork);
    sql = app.app.get(Sql);
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
    'by a named statement': () => sql.rows(WRITE, ['kept']),
    'by TypeORM': () => units.manager.query('INSERT INTO thing (name) VALUES ($1)', ['kept']),
  };

  it.each(Object.entries(write))('between two statements, is done again, once: %s', async (_how, writing) => {
    const told: number[] = [];
    await units.run(async () => {
      attempts += 1;
      const attempt = attempts;
      units.afterCommit(() => told.push(attempt));
      await writing();
      if (attempts === 1) await terminate(await pid());
      await writing();
    });
    expect(attempts).toBe(2);
    expect(told).toEqual([2]);
    expect(await names()).toEqual(['kept', 'kept']);
  });

  it('amid a statement, is done again, once', async () => {
    await database.query(`INSERT INTO thing (id, name) VALUES ('held', 'left')`);
    const row = await heldRow(database, 'thing', 'held', 'name = name');
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

  it('after its last statement, before COMMIT, is done again, once', async () => {
    await units.run(async () => {
      attempts += 1;
      await sql.rows(WRITE, ['kept']);
      if (attempts === 1) await terminate(await pid());
    });
    expect(attempts).toBe(2);
    expect(await names()).toEqual(['kept']);
  });

  it('inside a part behind a savepoint, is done again as a whole', async () => {
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

  it('while its COMMIT is under way, is not done again: nobody knows whether it has happened', async () => {
    await database.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON thing DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    const told: string[] = [];
    let session: number | undefined;
    const unit = units.run(async () => {
      attempts += 1;
      units.afterCommit(() => told.push('never'));
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
    expect(told).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('every time, is 503 in the end', async () => {
    const unit = units.run(async () => {
      attempts += 1;
      await terminate(await pid());
      await sql.rows(WRITE, ['lost']);
    });
    const error = await unit.catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    expect(attempts).toBe(4);
  });

  it('and which refuses for a reason of its own, refuses for that reason', async () => {
    const unit = units.run(async () => {
      attempts += 1;
      await terminate(await pid());
      throw new NotFound();
    });
    await expect(unit).rejects.toThrow(NotFound);
    expect(attempts).toBe(1);
  });

  it('gives its connection back, whatever has become of it', async () => {
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

describe('a database that takes connections and statements and answers nothing', () => {
  const LIMIT = 400;
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: TestApp;
  let units: UnitOfWork;
  beforeAll(async () => {
    database = await ownDatabase();
    proxy = await TcpProxy.start(database.url);
    app = await startApp(
      { DATABASE_QUERY_TIMEOUT_MS: String(LIMIT), DATABASE_POOL_SIZE: '4' },
      { database: { ...database, url: proxy.rewriteUrl(database.url) } },
    );
    units = app.app.get(UnitOfWork);
    await database.query('CREATE TABLE thing (name text)');
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await app.stop();
    await proxy.stop();
    await database.drop();
  });

  /** As many connections as there may be. */
  const fill = () => race(4, () => app.app.get(DataSource).query('SELECT pg_sleep(0.1)'));
  const ways: Record<string, () => Promise<unknown>> = {
    'a named statement': () => app.app.get(Sql).first(PID),
    'a statement of TypeORM': () => app.app.get(DataSource).query('SELECT 1'),
    'a unit of work': () => units.run(() => units.manager.query('SELECT 1')),
  };

  it.each(Object.entries(ways))('holds nobody for longer than the limit, and no connection: %s', async (_name, ask) => {
    await fill();
    proxy.swallow();
    const asked = performance.now();
    const outcomes = await race(4, () => ask().catch((error: unknown) => error));
    expect(performance.now() - asked).toBeLessThan(2 * LIMIT);
    expect(outcomes.map(isUnavailable)).toEqual([true, true, true, true]);
    expect(poolOf(app).idleCount).toBe(0);
    await proxy.heal();
    await race(4, ask);
  });

  it('in the middle of a unit, ends it as 503 without another try, and keeps nothing of it', async () => {
    let attempts = 0;
    await fill();
    const asked = performance.now();
    const unit = units.run(async () => {
      attempts += 1;
      await units.manager.query(`INSERT INTO thing (name) VALUES ('lost')`);
      proxy.swallow();
      await units.manager.query(`INSERT INTO thing (name) VALUES ('lost')`);
    });
    const error = await unit.catch((thrown: unknown) => thrown);
    expect(performance.now() - asked).toBeLessThan(2 * LIMIT);
    expect(isUnavailable(error)).toBe(true);
    expect(attempts).toBe(1);
    expect(poolOf(app).totalCount).toBeLessThan(4);
    await proxy.heal();
    expect(await database.query('SELECT name FROM thing')).toEqual([]);
  });

  it('is probed by one connection, however many ask, and said to be down within a second or so', async () => {
    const readiness = app.app.get(ReadinessService);
    await fill();
    expect(await readiness.check()).toMatchObject({ ready: true });
    const repository = app.app.get(ReadinessRepository);
    const pings = jest.spyOn(repository, 'ping');
    proxy.swallow();
    const asked = performance.now();
    const probes = race(30, () => readiness.check());
    const most: number[] = [];
    const watch = setInterval(() => most.push(poolOf(app).totalCount - poolOf(app).idleCount), 20);
    expect(new Set((await probes).map(({ database: state }) => state))).toEqual(new Set(['down']));
    clearInterval(watch);
    expect(performance.now() - asked).toBeLessThan(2_000);
    expect(pings).toHaveBeenCalledTimes(1);
    pings.mockRestore();
    // the log has one for its tail as well, and one for its readers, when their second falls into this one
    expect(Math.max(...most)).toBeLessThanOrEqual(3);
    await proxy.heal();
    await eventually(async () => ((await readiness.check()).ready ? true : undefined));
  });

  it('holds those no longer for whom there is no connection any more', async () => {
    await fill();
    proxy.swallow();
    const asked = performance.now();
    const outcomes = await race(9, () => units.run(() => units.manager.query('SELECT 1')).catch((e: unknown) => e));
    expect(performance.now() - asked).toBeLessThan(2 * LIMIT);
    expect(outcomes.map(isUnavailable)).toEqual(Array(9).fill(true));
  });
});

describe('a database that ends sessions in the moment in which they begin', () => {
  /** Of a message of the protocol: its letter, its length, its body. */
  const message = (letter: string, ...body: (string | number)[]) => {
    const bytes = Buffer.concat(body.map(part => (typeof part === 'string' ? Buffer.from(part) : int32(part))));
    return Buffer.concat([Buffer.from(letter), int32(bytes.length + 4), bytes]);
  };
  const int32 = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const WELCOME = [message('R', 0), message('K', 1, 1), message('Z', 'I')];
  const FAREWELL = message('E', 'SFATAL\0', 'C57P01\0', 'Mterminating connection\0', '\0');

  let server: Server;
  beforeAll(async () => {
    // both in one packet, as when an administrator ends all sessions while new ones are opened
    server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(Buffer.concat([...WELCOME, FAREWELL])));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise(resolve => server.close(resolve)));

  it('is one that cannot be asked, and not the end of the process', async () => {
    const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
    const schema = { entities: [], migrations: [] };
    const source = new DataSource(dataSourceOptions({ url, poolSize: 2, queryTimeoutMs: 1_000 }, schema));
    const error = await source.initialize().catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
  });
});

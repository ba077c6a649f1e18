import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import type { TestApp } from '../support/app.js';
import { startApp } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { dedicatedDatabase } from '../support/dedicated-database.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const QUERY_MS = 1_500;

let database: TestDatabase;
let proxy: TcpProxy;
let vanishing: TestApp;
let other: TestApp;
beforeAll(async () => {
  database = await dedicatedDatabase();
  proxy = await TcpProxy.start(database.url);
  const env = { DATABASE_QUERY_TIMEOUT_MS: String(QUERY_MS), DATABASE_LOCK_TIMEOUT_MS: '500' };
  vanishing = await startApp(env, { database: { ...database, url: proxy.rewriteUrl(database.url) } });
  other = await startApp(env, { database });
  await database.query(`CREATE TABLE thing (id int PRIMARY KEY, name text)`);
  await database.query(`INSERT INTO thing VALUES (1, 'untouched')`);
});
afterEach(() => proxy.heal());
afterAll(async () => {
  await vanishing.stop();
  await other.stop();
  await proxy.stop();
  await database.drop();
});

const LOCK = `UPDATE thing SET name = 'changed' WHERE id = 1`;
const update = (app: TestApp) => {
  const units = app.app.get(UnitOfWork);
  return units.run(() => units.manager.query(LOCK));
};
/** Locks the row in a transaction of the host that vanishes, then does the rest. */
const lockThen = (rest: (manager: EntityManager) => Promise<unknown>) => {
  const units = vanishing.app.get(UnitOfWork);
  return units.run(() => units.manager.query(LOCK).then(() => rest(units.manager))).catch(() => undefined);
};
/** Resolves once the other host can change the row. */
const updated = () =>
  eventually(
    () =>
      update(other).then(
        () => true,
        () => undefined,
      ),
    10 * QUERY_MS,
  );
/** Open transactions that have written. */
const open = () =>
  database.query(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL`);

describe('A host that vanishes inside a transaction', () => {
  it("A host that vanishes between two statements releases its locks and the event log's watermark within the timeout.", async () => {
    const gone = lockThen(manager => {
      proxy.swallow();
      return manager.query('SELECT 1');
    });
    await eventually(async () => (await open())[0]);
    await expect(update(other)).rejects.toThrow(/lock timeout/);
    await updated();
    expect(await open()).toEqual([]);
    await gone;
  });

  it('A statement of a host that vanishes while it runs ends within the timeout.', async () => {
    const gone = lockThen(manager => {
      setTimeout(() => proxy.swallow(), 100);
      return manager.query('SELECT pg_sleep(600)');
    });
    await eventually(async () => (await open())[0]);
    await updated();
    await gone;
  });

  it('Control: a session without these timeouts keeps its locks while it is silent.', async () => {
    const client = new Client({ connectionString: proxy.rewriteUrl(database.url) });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN');
    await client.query(LOCK);
    proxy.swallow();
    await new Promise(resolve => setTimeout(resolve, 2 * QUERY_MS));
    await expect(update(other)).rejects.toThrow(/lock timeout/);
    await proxy.heal();
  });
});

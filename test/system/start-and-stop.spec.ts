import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase, emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import { beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';

jest.setTimeout(90_000);

const running: ServiceProcess[] = [];

function run(...args: Parameters<typeof ServiceProcess.start>): ServiceProcess {
  const service = ServiceProcess.start(...args);
  running.push(service);
  return service;
}

/** Settings that production requires beyond those of tests. */
const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://chat.harbour-pine.com',
  BCRYPT_COST: '12',
  JWT_SECRETS: randomBytes(36).toString('base64'),
  ENCRYPTION_KEYS: randomBytes(36).toString('base64'),
};
/** Makes `performance.now()` in the service run 30 times as fast, so that 60 seconds take two. */
const FAST_CLOCK = { flags: ['--import', './test/support/fast-clock.js'] };

let database: TestDatabase;
beforeAll(() => ensureBuilt(), 300_000);
afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.kill()));
  await database.drop();
});

describe('The log of a start', () => {
  beforeEach(async () => {
    database = await cloneDatabase();
  });

  it.each([
    ['127.0.0.1', /^listening on http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost', /^listening on http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
    ['', /^listening on http:\/\/(\[::\]|0\.0\.0\.0):\d+$/],
  ])('The service with HOST="%s" logs the address that its socket is bound to.', async (host, expected) => {
    const port = String(await freePort());
    const service = run({ DATABASE_URL: database.url, HOST: host, PORT: port });
    const { msg } = await service.waitForLog(/^listening on /);
    expect(msg).toMatch(expected);
    expect(msg.endsWith(`:${port}`)).toBe(true);
  });

  it('The service warns once at start about variables that look like misspelled names of its own, without their values.', async () => {
    const service = run({
      DATABASE_URL: database.url,
      DATABSE_URL: 'a-value',
      RATE_LIMT: 'another-value',
      EDITOR: 'vi',
    });
    await service.url();
    const warnings = service.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ msg }) => msg)).toEqual([
      'environment variables that the service does not read: DATABSE_URL (did you mean DATABASE_URL?), ' +
        'RATE_LIMT (did you mean RATE_LIMITS?)',
    ]);
    expect(service.output()).not.toMatch(/a-value|another-value/);
  });

  it('A missing DATABASE_URL is reported together with the misspelled variable.', async () => {
    const service = run({ ...PRODUCTION, DATABSE_URL: database.url }, { bare: true });
    expect((await service.ended).code).toBe(78);
    expect(service.output()).toMatch(/- DATABASE_URL is required when NODE_ENV=production/);
    expect(service.output()).toMatch(/DATABSE_URL \(did you mean DATABASE_URL\?\)/);
    expect(service.output()).not.toContain(new URL(database.url).password);
  });
});

describe('A database that refuses the service at start', () => {
  beforeEach(async () => {
    database = await emptyDatabase();
  });

  function changed(change: (url: URL) => void): string {
    const url = new URL(database.url);
    change(url);
    return url.href;
  }
  const missing = () => changed(url => (url.pathname = '/nowhere_to_be_found'));
  const mistyped = () => changed(url => (url.password = 'not-this-one'));

  it.each([
    [
      'A missing database',
      missing,
      /^the database at \S+ refuses the service: .*"nowhere_to_be_found" does not exist \(3D000\); next try in 1 s$/,
    ],
    [
      'A wrong password',
      mistyped,
      /^the database at \S+ refuses the service: .*password authentication failed.* \(28P01\); next try in 1 s$/,
    ],
  ])(
    '%s is logged at level error with PostgreSQL’s reason, not as an unreachable database.',
    async (_case, url, expected) => {
      const service = run({ DATABASE_URL: url() });
      const { level, msg } = await service.waitForLog(/^the database at /);
      expect([level, msg]).toEqual(['error', expect.stringMatching(expected)]);
      expect(service.output()).not.toMatch(/not-this-one|does not answer/);
    },
  );

  it.each([
    ['a missing database', missing],
    ['a wrong password', mistyped],
  ])('A start in production exits with 1 after 60 seconds of %s and logs the reason.', async (_case, url) => {
    const service = run({ ...PRODUCTION, DATABASE_URL: url() }, FAST_CLOCK);
    expect(await service.ended).toEqual({ code: 1, signal: null });
    const fatal = service.lines.at(-1) as unknown as { level: string; msg: string; err: { message: string } };
    expect([fatal.level, fatal.msg]).toEqual(['fatal', 'the service could not start']);
    expect(fatal.err.message).toMatch(/has refused the service for 60 s: .*\((3D000|28P01)\)/);
  });

  it('A start outside production keeps trying, and continues once the database exists.', async () => {
    const url = missing();
    const service = run({ DATABASE_URL: url, NODE_ENV: 'test' }, FAST_CLOCK);
    await service.waitForLog(/refuses the service: .*next try in 3 s$/);
    const administrator = new Client({ connectionString: database.url });
    await administrator.connect();
    try {
      await administrator.query('CREATE DATABASE nowhere_to_be_found');
      await service.waitForLog(/^the database answers$/);
      await service.url();
    } finally {
      await service.kill();
      await administrator.query('DROP DATABASE IF EXISTS nowhere_to_be_found WITH (FORCE)');
      await administrator.end();
    }
  });

  it('A start in production waits longer than 60 seconds for a database that does not respond.', async () => {
    const url = changed(other => (other.port = '1'));
    const service = run({ ...PRODUCTION, DATABASE_URL: url }, FAST_CLOCK);
    // The third line comes after 1 + 2 s, which are 90 s on the service's clock.
    expect((await service.waitForLog(/does not answer .*next try in 3 s/)).level).toBe('warn');
    expect(service.child.exitCode).toBeNull();
  });
});

describe('The log of a stop', () => {
  beforeEach(async () => {
    database = await cloneDatabase();
  });

  const linesMatching = ({ lines }: ServiceProcess, pattern: RegExp) =>
    lines.filter(({ msg }) => pattern.test(String(msg)));

  it('A draining instance answers probes and refuses requests without logging at level error.', async () => {
    const service = run({ DATABASE_URL: database.url, DRAIN_SECONDS: '600' });
    const url = await service.url();
    const { token } = await openDesk(url);
    service.child.kill('SIGTERM');
    await eventually(async () => ((await call('GET', `${url}/readyz`)).status === 503 ? true : undefined));
    for (let times = 0; times < 3; times += 1) {
      expect((await call('GET', `${url}/readyz`)).body).toMatchObject({ status: 'unavailable', draining: true });
      expect((await call('GET', `${url}/v1/auth/me`, { token })).status).toBe(503);
    }
    const refusals = () => linesMatching(service, /^GET \/v1\/auth\/me 503$/).map(({ level }) => level);
    expect(await eventually(() => (refusals().length === 3 ? refusals() : undefined))).toEqual(Array(3).fill('info'));
    expect(service.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('A stopping instance logs the requests, sockets and jobs it waits for, and how long the drain took.', async () => {
    const service = run({ DATABASE_URL: database.url, DRAIN_SECONDS: '3' });
    const url = await service.url();
    const desk = await openDesk(url);
    const { token, conversationId } = await beginConversation(url, desk);
    const listeners = [await ResumingListener.agent(url, desk.token), await ResumingListener.agent(url, desk.token)];
    const row = await lockRowByUpdate(database, 'conversation', conversationId, 'version = version');
    const path = `${url}/v1/widget/conversations/${conversationId}/messages`;
    const underWay = call('POST', path, { token, body: { content: 'Will this arrive?' } });
    await row.awaited();

    service.child.kill('SIGTERM');
    const first = await service.waitForLog(/^stopping: /);
    expect(first).toMatchObject({ level: 'info', requests: 1, sockets: 2, jobs: [] });
    expect(first.msg).toBe('stopping: waits for balancers to see /readyz, 1 request in flight, 2 sockets');
    const later = await service.waitForLog(/^stopping: waits for 1 request in flight$/);
    expect(later).toMatchObject({ requests: 1, sockets: 0 });
    await row.commit();
    expect((await underWay).status).toBe(201);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    for (const listener of listeners) listener.close();
    const [drained, stopped] = service.lines.slice(-2);
    expect(drained?.msg).toMatch(/^drained in \d+\.\d s$/);
    expect(stopped?.msg).toBe('stopped');
    const lines = linesMatching(service, /^stopping: /);
    // At most one line per second, even if the counts change more often.
    expect(lines.length).toBeLessThan(10);
    expect(new Set(lines.map(({ msg }) => msg)).size).toBe(lines.length);
  });

  it('A stopping instance logs the name of a shutdown hook that it waits for.', async () => {
    const service = run({ DATABASE_URL: database.url });
    await service.url();
    await database.query('BEGIN');
    await database.query('LOCK TABLE event IN ACCESS EXCLUSIVE MODE');
    const waits = `SELECT 1 FROM pg_locks WHERE relation = 'event'::regclass AND NOT granted`;
    await eventually(async () => (await database.query(waits))[0]);
    service.child.kill('SIGTERM');
    // the tail or a consumer of the log reads the table; the tail ends with the connections
    const line = await service.waitForLog(/^stopping: waits for jobs: (database connections|\w+Consumer)$/);
    expect(line).toMatchObject({ level: 'info', jobs: [line.msg.split(': ').at(-1)] });
    await database.query('ROLLBACK');
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });

  it('A request that is still running ten seconds after the drain is cut off and counted in the log at level warn.', async () => {
    const limits = { DATABASE_QUERY_TIMEOUT_MS: '60000', DATABASE_LOCK_TIMEOUT_MS: '60000' };
    const service = run({ DATABASE_URL: database.url, ...limits });
    const url = await service.url();
    const desk = await openDesk(url);
    const { token, conversationId } = await beginConversation(url, desk);
    const row = await lockRowByUpdate(database, 'conversation', conversationId, 'version = version');
    const path = `${url}/v1/widget/conversations/${conversationId}/messages`;
    const underWay = call('POST', path, { token, body: { content: 'Will this arrive?' } }).catch(() => null);
    await row.awaited();
    service.child.kill('SIGTERM');
    const { level, msg } = await service.waitForLog(/cuts off/);
    expect([level, msg]).toEqual(['warn', 'stopping: cuts off 1 request in flight']);
    expect(await underWay).toBeNull();
    await row.commit();
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });

  it('An idle keep-alive connection does not count as a request in flight.', async () => {
    const service = run({ DATABASE_URL: database.url });
    const url = await service.url();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>(resolve => {
      get(`${url}/healthz`, { agent }, answer => answer.resume().on('end', () => resolve()));
    });
    service.child.kill('SIGTERM');
    await service.ended;
    agent.destroy();
    expect(linesMatching(service, /requests? in flight/)).toEqual([]);
  });
});

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/config/config.js';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase, emptyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import type { Json } from '../support/json.js';
import { race } from '../support/race.js';
import { call, checkout, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { upgrade } from '../support/upgrade.js';

jest.setTimeout(180_000); // each test starts one or two processes

const PASSWORD = 'correct horse battery';

/** Processes and proxies that a test started; stopped after it, even if it failed. */
const running: ServiceProcess[] = [];
const proxies: TcpProxy[] = [];

function run(...args: Parameters<typeof ServiceProcess.start>): ServiceProcess {
  const service = ServiceProcess.start(...args);
  running.push(service);
  return service;
}

async function proxied(database: TestDatabase): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(database.url);
  proxies.push(proxy);
  return proxy;
}

const SECRETS = {
  JWT_SECRETS: randomBytes(36).toString('base64'),
  ENCRYPTION_KEYS: randomBytes(36).toString('base64'),
};

interface Desk {
  token: string;
  widgetToken: string;
}

async function openDesk(url: string): Promise<Desk> {
  const email = `owner-${Math.random().toString(36).slice(2)}@example.com`;
  const body = { workspace_name: 'Desk', name: 'Olivia Owner', email, password: PASSWORD };
  const session = (await call('POST', `${url}/v1/auth/register`, { body })).body.data;
  const channels = (await call('GET', `${url}/v1/channels`, { token: session.token })).body.data;
  return { token: session.token, widgetToken: channels.items[0].widget_token };
}

/** Opens a visitor session and starts a conversation. */
async function startConversation(url: string, desk: Desk): Promise<{ token: string; conversationId: string }> {
  const session = await call('POST', `${url}/v1/widget/session`, { body: { widget_token: desk.widgetToken } });
  const token = session.body.data.visitor_token;
  const body = { message: { content: 'Hello?' } };
  const begun = await call('POST', `${url}/v1/widget/conversations`, { token, body });
  return { token, conversationId: begun.body.data.conversation.id };
}

/** Opens a socket that records its frames and close code. */
async function listen(url: string, token: string): Promise<{ frames: Json[]; end: Promise<number>; ws: WebSocket }> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/ws/agent?token=${token}`);
  const frames: Json[] = [];
  ws.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
  const end = new Promise<number>((resolve, reject) => {
    ws.once('close', resolve);
    ws.once('error', reject);
  });
  const connected = eventually(() => frames.find(({ type }) => type === 'connected'));
  // a socket that ends before it is connected is refused
  await Promise.race([connected, end.then(code => Promise.reject(new Error(`closed with ${code}`)))]);
  return { frames, end, ws };
}

const readiness = (url: string) => call('GET', `${url}/readyz`);
const untilReady = (url: string) =>
  eventually(async () => ((await readiness(url)).status === 200 ? true : undefined), 15_000);
const untilDown = (url: string) =>
  eventually(async () => ((await readiness(url)).status === 503 ? true : undefined), 15_000);

beforeAll(() => ensureBuilt(), 180_000);

afterEach(async () => {
  await Promise.all(running.splice(0).map(service => service.kill()));
  await Promise.all(proxies.splice(0).map(proxy => proxy.stop()));
});

describe('A database that is unavailable at start', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await emptyDatabase();
  });
  afterEach(() => database.drop());

  it('The service waits for an unreachable database, and logs each attempt with its address but without its password.', async () => {
    const proxy = await proxied(database);
    await proxy.refuse();
    const service = run({ DATABASE_URL: proxy.rewriteUrl(database.url) });
    const { level, msg } = await service.waitForLog(/does not answer/);
    const { host, pathname, password } = new URL(proxy.rewriteUrl(database.url));
    expect(level).toBe('warn');
    expect(msg).toContain(`the database at ${host}${pathname} does not answer`);
    expect(msg).toMatch(/ECONNREFUSED.*next try in 1 s/);
    await proxy.heal();
    await service.waitForLog(/the database answers/);
    const url = await service.url();
    expect((await readiness(url)).body).toMatchObject({ status: 'ready', database: 'ok', migrations: 'ok' });
    expect(service.output()).not.toContain(password);
  });

  it('The service waits for a database that accepts connections but does not respond.', async () => {
    const proxy = await proxied(database);
    proxy.swallow();
    const service = run({ DATABASE_URL: proxy.rewriteUrl(database.url) });
    await service.waitForLog(/does not answer \(.*timeout.*\)/);
    await proxy.heal();
    await untilReady(await service.url());
  });

  it('While waiting for the database the service is alive but not ready on its port, and hands the port over without refusing a connection.', async () => {
    const proxy = await proxied(database);
    await proxy.refuse();
    const port = await freePort();
    const service = run({ DATABASE_URL: proxy.rewriteUrl(database.url), PORT: String(port), INSTANCE_ID: 'blue' });
    await service.waitForLog(/does not answer/);
    const url = `http://127.0.0.1:${port}`;
    expect((await call('GET', `${url}/healthz`)).body).toEqual({ status: 'ok', instance: 'blue' });
    const waiting = await readiness(url);
    expect(waiting.status).toBe(503);
    expect(waiting.body).toMatchObject({ status: 'unavailable', database: 'down', migrations: 'pending' });
    const early = await call('POST', `${url}/v1/auth/login`, { body: { email: 'a@example.com', password: PASSWORD } });
    expect([early.status, early.body.error.code, early.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    const socket = await upgrade(`${url}/ws/agent?token=none`);
    expect([socket.status, socket.body.error?.code]).toEqual([503, 'unavailable']);

    // A connection opened before the handover is served after it.
    const patient = connect(port, '127.0.0.1');
    await once(patient, 'connect');
    let over = false;
    const failures: unknown[] = [];
    let requests = 0;
    const hammering = race(4, async () => {
      while (!over) {
        const answer = await call('GET', `${url}/healthz`).catch((error: unknown) => void failures.push(error));
        if (answer && answer.status !== 200) failures.push(answer);
        requests += 1;
      }
    });
    await proxy.heal();
    await untilReady(url);
    over = true;
    await hammering;
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(20);
    expect((await call('GET', `${url}/healthz`)).body).toEqual({ status: 'ok', instance: 'blue' });
    patient.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = (await once(patient, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(await service.url()).toBe(url);

    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    await expect(readiness(url)).rejects.toThrow();
  });

  it('A service that waits for its database stops on SIGTERM.', async () => {
    const proxy = await proxied(database);
    await proxy.refuse();
    const service = run({ DATABASE_URL: proxy.rewriteUrl(database.url), PORT: String(await freePort()) });
    await service.waitForLog(/does not answer/);
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.lines.filter(({ level }) => level !== 'info' && level !== 'warn')).toEqual([]);
  });
});

describe('A database that becomes unavailable while the service runs', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: ServiceProcess;
  let url: string;
  let desk: Desk;
  beforeAll(async () => {
    database = await cloneDatabase();
    proxy = await TcpProxy.start(database.url);
    service = ServiceProcess.start({ DATABASE_URL: proxy.rewriteUrl(database.url) });
    url = await service.url();
    desk = await openDesk(url);
  });
  afterEach(async () => {
    proxy.latency = 0;
    await proxy.heal();
    await untilReady(url);
    expect(service.lines.filter(({ msg }) => /unhandled/.test(msg))).toEqual([]);
  });
  afterAll(async () => {
    await service.kill();
    await proxy.stop();
    await database.drop();
  });

  it('Every call fails with 503 and Retry-After while the database is unreachable, and the service recovers without a restart.', async () => {
    const inbox = await listen(url, desk.token);
    await proxy.refuse();
    await untilDown(url);

    const calls = [
      call('GET', `${url}/v1/channels`, { token: desk.token }),
      call('POST', `${url}/v1/widget/session`, { body: { widget_token: desk.widgetToken } }),
      call('POST', `${url}/v1/auth/login`, { body: { email: 'a@example.com', password: PASSWORD } }),
      call('GET', `${url}/v1/channels`, { token: `svc_sk_${'a'.repeat(32)}` }),
    ];
    for (const { status, headers, body } of await Promise.all(calls)) {
      expect(body).toMatchObject({ ok: false, error: { code: 'unavailable' } });
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await expect(listen(url, desk.token)).rejects.toThrow();
    expect((await call('GET', `${url}/healthz`)).status).toBe(200);
    const { status, body } = await readiness(url);
    expect(status).toBe(503);
    expect(body).toMatchObject({ status: 'unavailable', database: 'down', draining: false });

    await proxy.heal();
    await untilReady(url);
    const { conversationId } = await startConversation(url, desk);
    await eventually(() => inbox.frames.find(frame => frame.conversation_id === conversationId));
    expect((await call('GET', `${url}/v1/channels`, { token: desk.token })).status).toBe(200);
  });

  it('A hung database is reported within seconds, and waiting calls get 503 once it responds again.', async () => {
    proxy.swallow();
    const hanging = race(3, () => call('GET', `${url}/v1/channels`, { token: desk.token }));
    const began = performance.now();
    const probes = await race(20, () => readiness(url));
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await call('GET', `${url}/healthz`)).status).toBe(200);

    await proxy.heal();
    for (const { status, body } of await hanging) {
      expect(status).toBe(503);
      expect(body.error.code).toBe('unavailable');
    }
  });

  it('Requests to a slow database take longer and succeed.', async () => {
    proxy.latency = 50;
    const { conversationId } = await startConversation(url, desk);
    const path = `${url}/v1/conversations/${conversationId}/messages`;
    const sent = await race(5, () => call('POST', path, { token: desk.token, body: { content: 'Slowly' } }));
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect((await readiness(url)).status).toBe(200);
  });

  it('The service opens new sessions after the database has terminated all of them.', async () => {
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await untilReady(url);
    expect((await call('GET', `${url}/v1/channels`, { token: desk.token })).status).toBe(200);
  });
});

describe('SIGTERM', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await cloneDatabase();
  });
  afterEach(() => database.drop());

  /** A service whose requests wait for a locked row for longer than a slow machine takes to stop. */
  const patient = () => ({
    DATABASE_URL: database.url,
    DATABASE_LOCK_TIMEOUT_MS: '60000',
    DATABASE_QUERY_TIMEOUT_MS: '60000',
  });

  it('SIGTERM lets running requests finish, refuses new ones with 503, closes sockets with 1012, and exits with 0.', async () => {
    const service = run({ ...patient(), DRAIN_SECONDS: '4' });
    const url = await service.url();
    const desk = await openDesk(url);
    const { token, conversationId } = await startConversation(url, desk);
    const sockets = await race(4, () => listen(url, desk.token));
    const row = await lockRowByUpdate(database, 'conversation', conversationId, 'version = version');
    const path = `${url}/v1/widget/conversations/${conversationId}/messages`;
    const underWay = call('POST', path, { token, body: { content: 'Will this arrive?', client_message_id: 'last' } });
    await row.awaited();

    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    await untilDown(url);
    expect((await readiness(url)).body).toMatchObject({ status: 'unavailable', draining: true });
    expect((await call('GET', `${url}/healthz`)).status).toBe(200);
    const late = await call('GET', `${url}/v1/channels`, { token: desk.token });
    expect(late.status).toBe(503);
    expect(late.body.error.code).toBe('unavailable');
    expect(late.headers.get('retry-after')).not.toBeNull();
    expect(late.headers.get('connection')).toBe('close');
    await expect(listen(url, desk.token)).rejects.toThrow();

    expect(await Promise.all(sockets.map(({ end }) => end))).toEqual([1012, 1012, 1012, 1012]);
    await row.commit();
    expect((await underWay).status).toBe(201);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(service.lines.at(-1)?.msg).toBe('stopped');
    const stored = await database.query(`SELECT 1 FROM message WHERE client_message_id = 'last'`);
    expect(stored).toHaveLength(1);
  });

  it('After SIGTERM the service answers 503 for DRAIN_SECONDS, even without sockets, so that a balancer notices.', async () => {
    const service = run({ DATABASE_URL: database.url, DRAIN_SECONDS: '3' });
    const url = await service.url();
    const desk = await openDesk(url);
    const began = performance.now();
    service.child.kill('SIGTERM');
    await untilDown(url);
    let answers = 0;
    for (;;) {
      const answer = await call('GET', `${url}/v1/channels`, { token: desk.token }).catch(() => null);
      if (answer === null) break;
      answers += 1;
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      const probe = await readiness(url).catch(() => null);
      if (probe) expect([probe.status, probe.body.draining]).toEqual([503, true]);
    }
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect(answers).toBeGreaterThan(10);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  it('A second SIGINT after a second ends the drain early but still closes sockets cleanly and finishes requests.', async () => {
    const service = run({ ...patient(), DRAIN_SECONDS: '600' });
    const url = await service.url();
    const desk = await openDesk(url);
    const { token, conversationId } = await startConversation(url, desk);
    const sockets = await race(3, () => listen(url, desk.token));
    const row = await lockRowByUpdate(database, 'conversation', conversationId, 'version = version');
    const path = `${url}/v1/widget/conversations/${conversationId}/messages`;
    const underWay = call('POST', path, { token, body: { content: 'Will this arrive?', client_message_id: 'last' } });
    await row.awaited();
    const began = performance.now();
    service.child.kill('SIGINT');
    await eventually(() => (performance.now() - began > 1_200 ? true : undefined));
    expect((await readiness(url)).body.draining).toBe(true);
    service.child.kill('SIGINT');
    expect(await Promise.all(sockets.map(({ end }) => end))).toEqual([1012, 1012, 1012]);
    await eventually(() =>
      readiness(url).then(
        () => undefined,
        () => true,
      ),
    );
    await row.commit();
    expect((await underWay).status).toBe(201);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('Outside production the drain takes no time unless it is configured.', async () => {
    const service = run({ DATABASE_URL: database.url, DRAIN_SECONDS: '' });
    const url = await service.url();
    const socket = await listen(url, (await openDesk(url)).token);
    const began = performance.now();
    service.child.kill('SIGINT');
    expect(await socket.end).toBe(1012);
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(loadConfig({ NODE_ENV: 'development', ...SECRETS }).drainSeconds).toBe(0);
    const production = { NODE_ENV: 'production', DATABASE_URL: database.url, PUBLIC_URL: 'https://chat.harbour.test' };
    expect(loadConfig({ ...production, ...SECRETS }).drainSeconds).toBe(5);
    expect(loadConfig({ ...production, ...SECRETS, DRAIN_SECONDS: '0' }).drainSeconds).toBe(0);
  });

  it('SIGTERM does not wait for an idle keep-alive connection.', async () => {
    const service = run({ DATABASE_URL: database.url });
    const { port } = new URL(await service.url());
    const idle = connect(Number(port), '127.0.0.1');
    idle.on('error', () => undefined);
    idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(idle, 'data');
    service.child.kill('SIGINT');
    await once(idle, 'close');
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});

describe('Killing the service while clients send', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());

  it('A kill -9 loses no acknowledged message, and a retry duplicates none.', async () => {
    const acknowledged = new Map<string, string>();
    const doubtful = new Map<string, { token: string; path: string }>();
    let desk: Desk | undefined;
    for (const round of [1, 2, 3]) {
      const service = run({ DATABASE_URL: database.url });
      const url = await service.url();
      desk ??= await openDesk(url);
      const sharedDesk = desk;
      // Sends without a response are retried, as a client does after a lost connection.
      for (const [id, { token, path }] of doubtful) {
        const again = await call('POST', `${url}${path}`, { token, body: { content: id, client_message_id: id } });
        expect([200, 201]).toContain(again.status);
        acknowledged.set(id, again.body.data.id);
      }
      doubtful.clear();
      if (round === 3) break;
      const conversations = await race(6, () => startConversation(url, sharedDesk));
      const before = acknowledged.size;
      const enough = before + 40 + Math.floor(Math.random() * 60);
      const sending = conversations.map(async ({ token, conversationId }, index) => {
        const path = `/v1/widget/conversations/${conversationId}/messages`;
        for (let count = 0; ; count += 1) {
          const id = `round-${round}-talk-${index}-message-${count}`;
          doubtful.set(id, { token, path });
          const answer = await call('POST', `${url}${path}`, { token, body: { content: id, client_message_id: id } });
          expect(answer.status).toBe(201);
          acknowledged.set(id, answer.body.data.id);
          doubtful.delete(id);
          if (acknowledged.size >= enough) return;
        }
      });
      const ends = Promise.allSettled(sending);
      await eventually(() => (acknowledged.size >= enough - 6 ? true : undefined), 20_000);
      await service.kill();
      await ends;
    }

    const stored = await database.query<{ id: string; client_message_id: string }>(
      'SELECT id, client_message_id FROM message WHERE client_message_id IS NOT NULL',
    );
    expect(acknowledged.size).toBeGreaterThan(80);
    expect(stored).toHaveLength(acknowledged.size);
    expect(new Map(stored.map(row => [row.client_message_id, row.id]))).toEqual(acknowledged);

    const gaps = await database.query(
      `SELECT conversation_id FROM message JOIN conversation ON conversation.id = conversation_id
       GROUP BY conversation_id, last_seq
       HAVING count(*) <> max(seq) OR min(seq) <> 1 OR max(seq) <> last_seq OR count(DISTINCT seq) <> count(*)`,
    );
    expect(gaps).toEqual([]);
    const withoutEvent = await database.query(
      `SELECT id FROM message WHERE NOT EXISTS (
         SELECT FROM event WHERE type = 'message.created' AND payload #>> '{message,id}' = message.id::text)`,
    );
    expect(withoutEvent).toEqual([]);
  });
});

describe('A service that cannot start', () => {
  it('A start in production without required settings exits with 78 and lists every fault in one message.', async () => {
    const service = run(
      { NODE_ENV: 'production', PORT: 'eighty', BCRYPT_COST: '4', PUBLIC_URL: 'http://a.example' },
      { bare: true },
    );
    expect(await service.ended).toEqual({ code: 78, signal: null });
    const output = service.output();
    for (const name of ['DATABASE_URL', 'JWT_SECRETS', 'ENCRYPTION_KEYS', 'PORT', 'BCRYPT_COST', 'PUBLIC_URL']) {
      expect(output).toMatch(new RegExp(`^  - ${name} `, 'm'));
    }
    expect(service.lines).toEqual([]);
    expect(output).not.toMatch(/^\s+at /m);
  });

  it('A start in production with placeholder secrets fails without printing them.', async () => {
    const service = run(
      {
        NODE_ENV: 'production',
        DATABASE_URL: 'postgres://nowhere.invalid/none',
        PUBLIC_URL: 'https://chat.example',
        JWT_SECRETS: 'change-me-change-me-change-me-change-me',
        ENCRYPTION_KEYS: 'a'.repeat(40),
      },
      { bare: true },
    );
    expect((await service.ended).code).toBe(78);
    expect(service.output()).toMatch(/- JWT_SECRETS holds a placeholder/);
    expect(service.output()).toMatch(/- ENCRYPTION_KEYS holds a placeholder/);
    expect(service.output()).not.toMatch(/change-me|aaaa/);
  });

  it('A start without a build fails with one line that names the command.', () => {
    const folder = mkdtempSync(join(tmpdir(), 'support-chat-unbuilt-'));
    try {
      cpSync(join(checkout, 'bin/start.js'), join(folder, 'bin/start.js'));
      cpSync(join(checkout, 'package.json'), join(folder, 'package.json'));
      const { status, stdout, stderr } = spawnSync('npm', ['start', '--silent'], { cwd: folder, encoding: 'utf8' });
      expect(status).toBe(1);
      const lines = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !line.startsWith('npm warn'));
      expect(lines).toEqual([expect.stringContaining('npm run build')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('A start on a port that is in use exits with 1 and names the reason.', async () => {
    const database = await cloneDatabase();
    try {
      const first = run({ DATABASE_URL: database.url });
      const { port } = new URL(await first.url());
      const second = run({ DATABASE_URL: database.url, PORT: port });
      expect(await second.ended).toEqual({ code: 1, signal: null });
      expect(second.output()).toMatch(/EADDRINUSE/);
      await first.kill();
    } finally {
      await database.drop();
    }
  });
});

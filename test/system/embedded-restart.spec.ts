import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { isAlive, readPostmaster } from '../../src/platform/database/embedded/postmaster-pid.js';
import { eventually } from '../support/eventually.js';
import { childrenOf } from '../support/process-tree.js';
import { beginConversation, openDesk } from '../support/outside.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';

jest.setTimeout(300_000);

/** Maximum time (ms) of one restart, long enough for a machine that is busy with other tests. */
const RECOVERS_MS = 120_000;

describe('An embedded PostgreSQL that is killed under a running service', () => {
  let dataDir: string;
  const running: ServiceProcess[] = [];

  beforeAll(() => ensureBuilt(), 300_000);
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'support-chat-embedded-'));
    chmodSync(dataDir, 0o711);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(service => service.kill()));
    const { state, pid } = await server();
    if (state !== 'absent' && state !== 'stranger') {
      process.kill(pid, 'SIGQUIT');
      await eventually(async () => ((await isAlive(pid)) ? undefined : true), 30_000);
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  const cluster = () => join(dataDir, 'postgres');
  async function server(): Promise<{ state: string; pid: number; port: number }> {
    return { pid: 0, ...(await readPostmaster(cluster())) };
  }
  function run(): ServiceProcess {
    const service = ServiceProcess.start({ DATA_DIR: dataDir, DRAIN_SECONDS: '0' });
    running.push(service);
    return service;
  }

  /** Waits for the end of a restart. If it does not come, the error contains the services' output. */
  function recovered<T>(probe: () => Promise<T | undefined>): Promise<T> {
    return eventually(probe, RECOVERS_MS, () => running.map(each => each.output()));
  }

  /** Kills the server with all its sessions, or the server alone, as the kernel does when memory runs out. */
  async function killServer(sessionsToo = true): Promise<number> {
    const { pid } = await recovered(async () => {
      const seen = await server();
      return seen.state === 'ready' ? seen : undefined;
    });
    for (const each of [pid, ...(sessionsToo ? childrenOf(pid) : [])]) process.kill(each, 'SIGKILL');
    return pid;
  }

  const isReady = async (url: string) => (await call('GET', `${url}/readyz`).catch(() => null))?.status === 200;
  const untilReady = (url: string) => recovered(async () => (await isReady(url)) || undefined);
  const untilDown = (url: string) => eventually(async () => ((await isReady(url)) ? undefined : true), RECOVERS_MS);

  async function stored(): Promise<string[]> {
    const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
    const { port } = await server();
    const client = new Client(`postgres://postgres:${password}@127.0.0.1:${port}/support_chat`);
    await client.connect();
    const { rows } = await client.query<{ content: string }>('SELECT content FROM message ORDER BY seq');
    await client.end();
    return rows.map(({ content }) => content);
  }

  it.each([
    ['with all its sessions', true],
    ['alone, while its sessions still use its shared memory', false],
  ])('A server killed %s is restarted on its port and keeps every acknowledged message.', async (_how, sessionsToo) => {
    const service = run();
    const url = await service.url();
    const { port } = await server();
    const desk = await openDesk(url);
    const { token, conversationId } = await beginConversation(url, desk);
    const path = `${url}/v1/widget/conversations/${conversationId}/messages`;
    const acknowledged = ['Hello?'];
    let over = false;
    const sending = (async () => {
      for (let count = 0; !over; count += 1) {
        const body = { content: `message ${count}`, client_message_id: `message-${count}` };
        for (;;) {
          const answer = await call('POST', path, { token, body });
          if (answer.status < 300) break;
          expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
          if (over) return;
        }
        acknowledged.push(body.content);
      }
    })();
    await eventually(() => (acknowledged.length > 5 ? true : undefined), 20_000);
    const pid = await killServer(sessionsToo);
    const { msg, level } = await service.waitForLog(/is started again/, RECOVERS_MS);
    expect([level, msg]).toEqual([
      'warn',
      `PostgreSQL (process ${pid}) ended and is started again (1 of 5 within 10 minutes)`,
    ]);
    await untilReady(url);
    const before = acknowledged.length;
    await eventually(() => (acknowledged.length > before + 5 ? true : undefined), 20_000);
    over = true;
    await sending;
    const after = await server();
    expect([after.state, after.port, after.pid === pid]).toEqual(['ready', port, false]);
    const kept = await stored();
    expect(acknowledged.filter(content => !kept.includes(content))).toEqual([]);
    expect(new Set(kept).size).toBe(kept.length);
    await service.stop();
    expect(await isAlive(after.pid)).toBe(false);
  });

  it('A server killed a sixth time within ten minutes is not restarted, and the service exits with 1.', async () => {
    const service = run();
    const url = await service.url();
    for (let times = 1; times <= 5; times += 1) {
      await killServer();
      await service.waitForLog(new RegExp(`\\(${times} of 5 within 10 minutes\\)`), RECOVERS_MS);
      await untilReady(url);
    }
    await killServer();
    expect(await service.ended).toEqual({ code: 1, signal: null });
    const fatal = service.lines.find(({ level }) => level === 'fatal') as unknown as { err: { message: string } };
    expect(fatal.err.message).toBe('PostgreSQL ended again after 5 starts within 10 minutes; see postgres.log');
    expect((await server()).state).toBe('absent');
  });

  it('Two services on one data folder share the restarted server, and the last one stops it.', async () => {
    const one = run();
    const oneUrl = await one.url();
    const other = run();
    const otherUrl = await other.url();
    const pid = await killServer();
    await Promise.all([untilDown(oneUrl), untilDown(otherUrl)]).catch(() => undefined);
    await Promise.all([untilReady(oneUrl), untilReady(otherUrl)]);
    const after = await server();
    expect(after.pid).not.toBe(pid);
    await one.stop();
    expect(await isAlive(after.pid)).toBe(true);
    expect(await isReady(otherUrl)).toBe(true);
    await other.stop();
    expect(await isAlive(after.pid)).toBe(false);
  });

  it('A service that is stopped while its server is dead exits with 0 and leaves no server.', async () => {
    const service = run();
    await service.url();
    await killServer();
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect((await server()).state).toBe('absent');
  });
});

import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { openDesk } from '../support/outside.js';
import { race } from '../support/race.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';

jest.setTimeout(90_000); // each test starts a process

const QUERY_MS = 30_000;

let database: TestDatabase | undefined;
let proxy: TcpProxy | undefined;
let service: ServiceProcess | undefined;
beforeAll(() => ensureBuilt(), 180_000);
afterEach(async () => {
  await service?.kill();
  await proxy?.stop();
  await database?.drop();
});

async function start(): Promise<string> {
  database = await cloneDatabase();
  proxy = await TcpProxy.start(database.url);
  service = ServiceProcess.start({
    DATABASE_URL: proxy.rewriteUrl(database.url),
    DATABASE_QUERY_TIMEOUT_MS: String(QUERY_MS),
  });
  return service.url();
}

describe('A service with a hung database', () => {
  it('SIGTERM stops a service with a hung database long before the query timeout, and waiting requests get 503.', async () => {
    const url = await start();
    const desk = await openDesk(url);
    proxy?.swallow();
    const waiting = race(3, () => call('GET', `${url}/v1/channels`, { token: desk.token }));
    await new Promise(resolve => setTimeout(resolve, 500));
    const began = performance.now();
    service?.child.kill('SIGTERM');
    expect((await waiting).map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(3).fill([503, 'unavailable']),
    );
    expect(await service?.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(QUERY_MS / 2);
  });

  it('SIGTERM lets a request finish that waits for a slow database.', async () => {
    const url = await start();
    const desk = await openDesk(url);
    if (proxy) proxy.latency = 300;
    const slow = call('GET', `${url}/v1/channels`, { token: desk.token });
    await new Promise(resolve => setTimeout(resolve, 100));
    service?.child.kill('SIGTERM');
    expect((await slow).status).toBe(200);
    expect(await service?.ended).toEqual({ code: 0, signal: null });
  });
});

import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { HaProxy, hasHaProxy } from '../support/haproxy.js';
import { call } from '../support/service-process.js';
import { upgrade } from '../support/upgrade.js';

jest.setTimeout(60_000);

/** A server in the place of an instance, which records what the proxy sends it. */
class Stand {
  /** what `/readyz` and everything else are answered with */
  ready = 200;
  status = 200;
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Stand> {
    const server = createServer();
    const stand = new Stand(server);
    server.on('request', (asked, response) => {
      if (asked.url === '/readyz') return response.writeHead(stand.ready).end();
      const { method = '', url = '', headers } = asked;
      stand.requests.push({ method, url, headers });
      asked.resume();
      response.writeHead(stand.status, stand.status === 503 ? { 'Retry-After': '7' } : {});
      response.end(JSON.stringify({ port: (server.address() as AddressInfo).port }));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return stand;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}

(hasHaProxy ? describe : describe.skip)('the HAProxy of the documentation', () => {
  let one: Stand;
  let other: Stand;
  let haproxy: HaProxy;
  beforeEach(async () => {
    [one, other] = [await Stand.start(), await Stand.start()];
    haproxy = await HaProxy.before([one.url, other.url]);
  });
  afterEach(async () => {
    await haproxy.stop();
    await Promise.all([one, other].map(stand => stand.stop().catch(() => undefined)));
  });

  const get = (path: string) => call('GET', `${haproxy.url}${path}`);
  const counts = () => [one.requests.length, other.requests.length];

  it('HAProxy sends requests to both instances in turn.', async () => {
    for (let times = 0; times < 10; times += 1) await get('/v1/auth/me');
    expect(counts()).toEqual([5, 5]);
  });

  it('HAProxy sends nothing to an instance whose /readyz says 503, and sends to it again when it says 200.', async () => {
    one.ready = 503;
    await eventually(async () => {
      const before = one.requests.length;
      for (let times = 0; times < 4; times += 1) await get('/v1/auth/me');
      return one.requests.length === before ? true : undefined;
    }, 20_000);
    one.ready = 200;
    await eventually(async () => {
      const before = one.requests.length;
      for (let times = 0; times < 4; times += 1) await get('/v1/auth/me');
      return one.requests.length > before ? true : undefined;
    }, 20_000);
  });

  it('A read that one instance refuses with 503 is answered by the other; a POST goes back to its client with its Retry-After.', async () => {
    one.status = 503;
    for (let times = 0; times < 6; times += 1) expect((await get('/v1/auth/me')).status).toBe(200);
    one.requests.splice(0);
    other.requests.splice(0);
    const posts = [];
    for (let times = 0; times < 6; times += 1) posts.push(await call('POST', `${haproxy.url}/v1/x`, { body: {} }));
    expect(counts()).toEqual([3, 3]);
    expect(posts.filter(({ status }) => status === 503).map(({ headers }) => headers.get('retry-after'))).toEqual(
      Array(3).fill('7'),
    );
  });

  it('A handshake that one instance refuses with 503 is tried on the other.', async () => {
    one.status = 503;
    other.status = 401;
    for (let times = 0; times < 4; times += 1) {
      expect((await upgrade(`${haproxy.wsUrl}/ws/agent?token=none`)).status).toBe(401);
    }
    expect(other.requests.length).toBe(4);
    expect(other.requests[0]?.headers).toMatchObject({ upgrade: 'websocket', connection: 'Upgrade' });
  });

  it('An instance is told the address that HAProxy saw last, and the real protocol, whatever the client claims.', async () => {
    await new Promise<void>((resolve, reject) => {
      const claims = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
      const options = { localAddress: '127.0.0.7', agent: false, headers: claims } as const;
      const asked = request(`${haproxy.url}/v1/auth/me`, options, answer => answer.resume().on('end', () => resolve()));
      asked.on('error', reject).end();
    });
    const [told] = [...one.requests, ...other.requests];
    expect(told?.headers).toMatchObject({ 'x-forwarded-for': '203.0.113.9, 127.0.0.7', 'x-forwarded-proto': 'http' });
  });

  it('HAProxy answers in the envelope when no instance is there, and keeps /metrics inside.', async () => {
    const metrics = await get('/metrics');
    expect([metrics.status, metrics.body.error.code]).toEqual([404, 'not_found']);
    expect(counts()).toEqual([0, 0]);
    await Promise.all([one.stop(), other.stop()]);
    for (const answer of [await get('/v1/auth/me'), await call('POST', `${haproxy.url}/v1/x`, { body: {} })]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(answer.body).toEqual({
        ok: false,
        request_id: answer.headers.get('x-request-id'),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/),
        error: { code: 'unavailable', message: expect.any(String) },
      });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('The log of HAProxy has paths, and no query with a token in it.', async () => {
    await upgrade(`${haproxy.wsUrl}/ws/agent?token=a-token-that-nobody-may-read`);
    await eventually(() => (haproxy.logs.includes('/ws/agent') ? true : undefined));
    await Promise.all([one.stop(), other.stop()]);
    await upgrade(`${haproxy.wsUrl}/ws/visitor?token=a-token-that-nobody-may-read`);
    await eventually(() => (haproxy.logs.includes('/ws/visitor') ? true : undefined));
    expect(haproxy.logs).not.toMatch(/token/);
  });
});

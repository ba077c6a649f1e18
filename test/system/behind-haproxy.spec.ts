import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { HaProxy, hasHaProxy } from '../support/haproxy.js';
import { call } from '../support/service-process.js';
import { upgrade } from '../support/upgrade.js';

/** A stub of an instance that records the requests it gets from the proxy. */
class StubInstance {
  /** Status of `/readyz`; `status` below is the status of every other path. */
  ready = 200;
  status = 200;
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubInstance> {
    const server = createServer();
    const stub = new StubInstance(server);
    server.on('request', (incoming, response) => {
      if (incoming.url === '/readyz') return response.writeHead(stub.ready).end();
      const { method = '', url = '', headers } = incoming;
      stub.requests.push({ method, url, headers });
      incoming.resume();
      response.writeHead(stub.status, stub.status === 503 ? { 'Retry-After': '7' } : {});
      response.end(JSON.stringify({ port: (server.address() as AddressInfo).port }));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}

(hasHaProxy ? describe : describe.skip)('HAProxy with the documented configuration', () => {
  let one: StubInstance;
  let other: StubInstance;
  let haproxy: HaProxy;
  beforeEach(async () => {
    [one, other] = [await StubInstance.start(), await StubInstance.start()];
    haproxy = await HaProxy.before([one.url, other.url]);
  });
  afterEach(async () => {
    await haproxy.stop();
    await Promise.all([one, other].map(stand => stand.stop().catch(() => undefined)));
  });

  const get = (path: string) => call('GET', `${haproxy.url}${path}`);
  const counts = () => [one.requests.length, other.requests.length];

  it('HAProxy distributes requests evenly over both instances.', async () => {
    for (let times = 0; times < 10; times += 1) await get('/v1/auth/me');
    expect(counts()).toEqual([5, 5]);
  });

  it('HAProxy stops sending requests to an instance whose /readyz answers 503, and resumes when it answers 200.', async () => {
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

  it('HAProxy retries a GET on the other instance after a 503, but returns the 503 of a POST with its Retry-After.', async () => {
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

  it('HAProxy retries a WebSocket handshake on the other instance after a 503.', async () => {
    one.status = 503;
    other.status = 401;
    for (let times = 0; times < 4; times += 1) {
      expect((await upgrade(`${haproxy.wsUrl}/ws/agent?token=none`)).status).toBe(401);
    }
    expect(other.requests.length).toBe(4);
    expect(other.requests[0]?.headers).toMatchObject({ upgrade: 'websocket', connection: 'Upgrade' });
  });

  it("HAProxy appends the client's address to X-Forwarded-For and overwrites a forged X-Forwarded-Proto.", async () => {
    await new Promise<void>((resolve, reject) => {
      const claims = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
      const options = { localAddress: '127.0.0.7', agent: false, headers: claims } as const;
      const outgoing = request(`${haproxy.url}/v1/auth/me`, options, answer =>
        answer.resume().on('end', () => resolve()),
      );
      outgoing.on('error', reject).end();
    });
    const [forwarded] = [...one.requests, ...other.requests];
    expect(forwarded?.headers).toMatchObject({
      'x-forwarded-for': '203.0.113.9, 127.0.0.7',
      'x-forwarded-proto': 'http',
    });
  });

  it('HAProxy answers in the error envelope when no instance is up, and answers /metrics with 404.', async () => {
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

  it('The HAProxy log contains paths but no query string with a token.', async () => {
    await upgrade(`${haproxy.wsUrl}/ws/agent?token=a-token-that-nobody-may-read`);
    await eventually(() => (haproxy.logs.includes('/ws/agent') ? true : undefined));
    await Promise.all([one.stop(), other.stop()]);
    await upgrade(`${haproxy.wsUrl}/ws/visitor?token=a-token-that-nobody-may-read`);
    await eventually(() => (haproxy.logs.includes('/ws/visitor') ? true : undefined));
    expect(haproxy.logs).not.toMatch(/token/);
  });
});

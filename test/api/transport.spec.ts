import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Refused } from '../support/socket.js';
import { World } from '../support/world.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://chat.example.com',
  JWT_SECRETS: 'kQ3vX9rT2mN8bW5yL7pZ4cF6hJ1dS0gA',
  ENCRYPTION_KEYS: 'uE4iO8aP2wR6tY1qM3nB5vC7xZ9lK0jH',
  BCRYPT_COST: '12',
  TRUST_PROXY: '1',
};

describe('in production, behind a proxy', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(PRODUCTION);
  });
  afterAll(() => world.stop());

  it('what the trusted proxy marks as http is refused, over HTTP and at the sockets', async () => {
    const overHttp = { 'X-Forwarded-Proto': 'http' };
    const refused = await world.anyone.post('/v1/auth/login', { email: 'a@b.example', password: 'x' }, overHttp);
    expect([refused.status, refused.error.code]).toEqual([403, 'https_required']);
    const socket = await world.socket('agent', { token: 'any' }, overHttp).catch((error: unknown) => error);
    expect(socket).toBeInstanceOf(Refused);
    expect((socket as Refused).body).toMatchObject({ ok: false, error: { code: 'https_required' } });
  });

  it('what it marks as https passes, and is told to stay there', async () => {
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'https' });
    expect([answer.status, answer.error.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['strict-transport-security']).toContain('max-age');
  });

  it('nothing of it holds for probes, which come from inside', async () => {
    const probe = await fetch(`${world.app.url}/healthz`, { headers: { 'X-Forwarded-Proto': 'http' } });
    expect(probe.status).toBe(200);
  });
});

describe('in production, in a closed network for a trial', () => {
  it('plain http is let in, and told nothing of https', async () => {
    const trial = { ...PRODUCTION, PUBLIC_URL: 'http://chat.example.com', ALLOW_INSECURE_HTTP: 'on' };
    const world = await World.start(trial);
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([401, undefined]);
    await world.stop();
  });
});

describe('in production, without a proxy that is trusted', () => {
  it('the word of a stranger about how it came is not believed', async () => {
    const world = await World.start({ ...PRODUCTION, TRUST_PROXY: '' });
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect([answer.status, answer.error.code]).toEqual([401, 'unauthenticated']);
    await world.stop();
  });
});

describe('outside of production', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => world.stop());

  it('plain http is fine, and the browser is not sent to https', async () => {
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect(answer.status).toBe(401);
    expect(answer.headers['strict-transport-security']).toBeUndefined();
    expect(answer.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

describe('what browsers are told', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ RATE_LIMITS: 'register=1/3600' });
  });
  afterAll(() => world.stop());

  const SERVERS_ONLY = ['/v1/auth/sso/ticket', '/v1/workspace/members'];

  /** What the answer lets pages do. */
  async function opened(method: string, path: string, asksFor?: string): Promise<Record<string, string>> {
    const headers = { Origin: 'https://shop.example', ...(asksFor && { 'Access-Control-Request-Method': asksFor }) };
    const answer = await fetch(`${world.app.url}${path}`, { method, headers });
    return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('access-control-')));
  }

  it('not to guess, frame, sniff or refer, on every answer', async () => {
    for (const path of ['/v1/workspace', '/v1/nothing', '/healthz']) {
      const { headers } = await fetch(`${world.app.url}${path}`);
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('content-security-policy')).toContain("object-src 'none'");
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  it('that every page may read the API, with the headers that it works with, and without credentials', async () => {
    for (const path of ['/v1/workspace', '/v1/nothing', '/v1/auth/agent-token', '/v1/auth/sso/exchange']) {
      const allowed = await opened('GET', path);
      expect(allowed['access-control-allow-origin']).toBe('*');
      expect(allowed).not.toHaveProperty('access-control-allow-credentials');
      expect(allowed['access-control-expose-headers']?.split(', ')).toEqual(
        expect.arrayContaining([
          ...['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
          ...['Retry-After', 'Idempotency-Replayed', 'WWW-Authenticate'],
        ]),
      );
    }
  });

  it('that a refusal by a limit may be read like any other', async () => {
    const body = { workspace_name: 'W', name: 'N', email: 'limit@example.com', password: 'short' };
    await world.anyone.post('/v1/auth/register', body);
    const refused = await world.anyone.post('/v1/auth/register', body, { Origin: 'https://shop.example' });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([429, '*']);
    expect(refused.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('nothing where only backends call, however the path is written, asked before or not', async () => {
    for (const path of SERVERS_ONLY) {
      for (const spelt of [path, `${path}/`, path.toUpperCase(), `${path}?x=1`]) {
        expect([spelt, await opened('POST', spelt)]).toEqual([spelt, {}]);
        expect([spelt, await opened('OPTIONS', spelt, 'POST')]).toEqual([spelt, {}]);
      }
    }
    expect((await opened('OPTIONS', '/v1/workspace/members', 'GET'))['access-control-allow-origin']).toBe('*');
  });

  it('nothing outside of the API', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/nothing']) {
      expect([path, await opened('GET', path)]).toEqual([path, {}]);
    }
  });
});

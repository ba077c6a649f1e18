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

describe('In production, behind a trusted proxy', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(PRODUCTION);
  });
  afterAll(() => world.stop());

  it('A request or handshake that the trusted proxy marks as http is refused (403 https_required)', async () => {
    const overHttp = { 'X-Forwarded-Proto': 'http' };
    const refused = await world.anyone.post('/v1/auth/login', { email: 'a@b.example', password: 'x' }, overHttp);
    expect([refused.status, refused.error.code]).toEqual([403, 'https_required']);
    const socket = await world.socket('agent', { token: 'any' }, overHttp).catch((error: unknown) => error);
    expect(socket).toBeInstanceOf(Refused);
    expect((socket as Refused).body).toMatchObject({ ok: false, error: { code: 'https_required' } });
  });

  it('A request that the trusted proxy marks as https is accepted and gets Strict-Transport-Security', async () => {
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'https' });
    expect([answer.status, answer.error.code]).toEqual([401, 'unauthenticated']);
    expect(answer.headers['strict-transport-security']).toContain('max-age');
  });

  it('Health probes are accepted over http, as they come from inside the network', async () => {
    const probe = await fetch(`${world.app.url}/healthz`, { headers: { 'X-Forwarded-Proto': 'http' } });
    expect(probe.status).toBe(200);
  });
});

describe('In production, with ALLOW_INSECURE_HTTP', () => {
  it('With ALLOW_INSECURE_HTTP plain http is accepted, without Strict-Transport-Security', async () => {
    const trial = { ...PRODUCTION, PUBLIC_URL: 'http://chat.example.com', ALLOW_INSECURE_HTTP: 'on' };
    const world = await World.start(trial);
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect([answer.status, answer.headers['strict-transport-security']]).toEqual([401, undefined]);
    await world.stop();
  });
});

describe('In production, without a trusted proxy', () => {
  it('The X-Forwarded-Proto of an untrusted client is ignored', async () => {
    const world = await World.start({ ...PRODUCTION, TRUST_PROXY: '' });
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect([answer.status, answer.error.code]).toEqual([401, 'unauthenticated']);
    await world.stop();
  });
});

describe('Outside of production', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ TRUST_PROXY: '1' });
  });
  afterAll(() => world.stop());

  it('Outside of production plain http is accepted, and nothing sends the browser to https', async () => {
    const answer = await world.anyone.get('/v1/workspace', { 'X-Forwarded-Proto': 'http' });
    expect(answer.status).toBe(401);
    expect(answer.headers['strict-transport-security']).toBeUndefined();
    expect(answer.headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });
});

describe('Headers for browsers', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ RATE_LIMITS: 'register=1/3600' });
  });
  afterAll(() => world.stop());

  const SERVERS_ONLY = ['/v1/auth/sso/ticket', '/v1/workspace/members'];

  /** The CORS headers of the answer. */
  async function corsHeaders(method: string, path: string, requestMethod?: string): Promise<Record<string, string>> {
    const headers = {
      Origin: 'https://shop.example',
      ...(requestMethod && { 'Access-Control-Request-Method': requestMethod }),
    };
    const answer = await fetch(`${world.app.url}${path}`, { method, headers });
    return Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('access-control-')));
  }

  it('Every answer forbids content sniffing, framing and referrers, and sets a content security policy', async () => {
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

  it('Pages of every origin may read the API and its headers, without credentials', async () => {
    for (const path of ['/v1/workspace', '/v1/nothing', '/v1/auth/agent-token', '/v1/auth/sso/exchange']) {
      const allowed = await corsHeaders('GET', path);
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

  it('Pages of every origin may read a 429 too', async () => {
    const body = { workspace_name: 'W', name: 'N', email: 'limit@example.com', password: 'short' };
    await world.anyone.post('/v1/auth/register', body);
    const refused = await world.anyone.post('/v1/auth/register', body, { Origin: 'https://shop.example' });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([429, '*']);
    expect(refused.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('Routes for backends send no CORS headers, however the path is written, for a call or a preflight', async () => {
    for (const path of SERVERS_ONLY) {
      for (const spelt of [path, `${path}/`, path.toUpperCase(), `${path}?x=1`]) {
        expect([spelt, await corsHeaders('POST', spelt)]).toEqual([spelt, {}]);
        expect([spelt, await corsHeaders('OPTIONS', spelt, 'POST')]).toEqual([spelt, {}]);
      }
    }
    expect((await corsHeaders('OPTIONS', '/v1/workspace/members', 'GET'))['access-control-allow-origin']).toBe('*');
  });

  it('Routes outside of the API send no CORS headers', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/nothing']) {
      expect([path, await corsHeaders('GET', path)]).toEqual([path, {}]);
    }
  });
});

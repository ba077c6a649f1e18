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

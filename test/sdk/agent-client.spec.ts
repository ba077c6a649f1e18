import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentClient, type AgentTokens } from '../../clients/sdk/src/index.js';
import { FakeService, ok, refuse } from './fake-service.js';

let service: FakeService;
let agent: AgentClient;
let kept: (AgentTokens | null)[];

/** Tokens are `t1`, `t2` …; the service takes the newest alone, as after a rotation. */
let newest: number;
const tokens = () => ({ token: `t${newest}`, refresh_token: `r${newest}` });

beforeEach(async () => {
  service = await FakeService.start();
  kept = [];
  newest = 1;
  agent = new AgentClient({ baseUrl: service.baseUrl, onTokens: pair => kept.push(pair) });
  service.on('POST /v1/auth/login', () => ok(tokens()));
  service.on('POST /v1/auth/register', () => ok(tokens(), 201));
  service.on('GET /v1/auth/me', ({ token }) => (token === `t${newest}` ? ok({ token }) : refuse(401, 'token_expired')));
  service.on('POST /v1/auth/refresh', ({ body }) => {
    if (body['refresh_token'] !== `r${newest}`) return refuse(401, 'token_revoked');
    newest += 1;
    return ok(tokens());
  });
  await agent.login({ email: 'a@example.com', password: 'correct horse' });
});
afterEach(() => service.stop());

/** The access token ends, the refresh token does not. */
const expireAccess = () => agent.restore({ token: 't0', refresh_token: `r${newest}` });

describe('an agent', () => {
  it('asks for rotating refresh tokens wherever it comes in', async () => {
    await agent.register({ workspace_name: 'W', name: 'A', email: 'a@example.com', password: 'correct horse' });
    expect(service.requests.map(({ body }) => body['rotate'])).toEqual([true, true]);
  });

  it('refreshes once for forty calls that meet an expired token together', async () => {
    expireAccess();
    await Promise.all(Array.from({ length: 40 }, () => agent.me()));
    expect(service.seen('POST /v1/auth/refresh')).toHaveLength(1);
    expect(service.seen('GET /v1/auth/me')).toHaveLength(80);
  });

  it('refreshes no more for an answer that comes late, after the token was replaced', async () => {
    const late = agent.me();
    newest += 1;
    agent.restore(tokens());
    await late;
    expect(service.seen('POST /v1/auth/refresh')).toHaveLength(0);
  });

  it.each(['invalid_token', 'token_revoked', 'unauthenticated', 'agent_token_required'])(
    'does not refresh on %s',
    async code => {
      service.on('GET /v1/auth/me', () => refuse(401, code));
      await expect(agent.me()).rejects.toMatchObject({ status: 401, code });
      expect(service.requests.map(({ path }) => path)).toEqual(['/v1/auth/login', '/v1/auth/me']);
    },
  );

  it('gives up when the fresh token has expired too, instead of going round', async () => {
    service.on('GET /v1/auth/me', () => refuse(401, 'token_expired'));
    await expect(agent.me()).rejects.toMatchObject({ code: 'token_expired' });
    expect(service.seen('POST /v1/auth/refresh')).toHaveLength(1);
  });

  it('hands out every new pair of tokens, and null when the session has ended', async () => {
    expireAccess();
    await agent.me();
    service.on('POST /v1/auth/refresh', () => refuse(401, 'token_revoked'));
    await expect(agent.refresh()).rejects.toMatchObject({ code: 'token_revoked' });
    expect(kept.map(pair => pair?.token ?? null)).toEqual(['t1', 't0', 't2', null]);
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  it('stays logged in when a refresh got no answer', async () => {
    expireAccess();
    service.on('POST /v1/auth/refresh', () => 'cut');
    await expect(agent.me()).rejects.toMatchObject({ code: 'network_error' });
    expect(agent.tokens).toBeDefined();
  });

  it('is logged out here even when the service cannot be told', async () => {
    service.on('POST /v1/auth/logout', () => 'cut');
    await expect(agent.logout()).rejects.toMatchObject({ code: 'network_error' });
    expect(agent.tokens).toBeUndefined();
  });
});

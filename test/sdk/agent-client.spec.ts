import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentClient, type AgentTokens } from '../../clients/sdk/src/index.js';
import { FakeService, ok, refuse } from './fake-service.js';

let service: FakeService;
let agent: AgentClient;
let savedTokens: (AgentTokens | null)[];

/** Tokens are `t1`, `t2` …; the service accepts only the newest, as after a rotation. */
let newest: number;
const tokens = () => ({ token: `t${newest}`, refresh_token: `r${newest}` });

beforeEach(async () => {
  service = await FakeService.start();
  savedTokens = [];
  newest = 1;
  agent = new AgentClient({ baseUrl: service.baseUrl, onTokens: pair => savedTokens.push(pair) });
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

/** Replaces the access token by an expired one and keeps the refresh token. */
const expireAccess = () => agent.restore({ token: 't0', refresh_token: `r${newest}` });

describe('The agent client', () => {
  it('The agent client requests rotating refresh tokens at login and registration', async () => {
    await agent.register({ workspace_name: 'W', name: 'A', email: 'a@example.com', password: 'correct horse' });
    expect(service.requests.map(({ body }) => body['rotate'])).toEqual([true, true]);
  });

  it('The agent client refreshes once for forty concurrent calls with an expired token', async () => {
    expireAccess();
    await Promise.all(Array.from({ length: 40 }, () => agent.me()));
    expect(service.requestsTo('POST /v1/auth/refresh')).toHaveLength(1);
    expect(service.requestsTo('GET /v1/auth/me')).toHaveLength(80);
  });

  it('The agent client does not refresh for a late 401 when the token has been replaced since', async () => {
    const late = agent.me();
    newest += 1;
    agent.restore(tokens());
    await late;
    expect(service.requestsTo('POST /v1/auth/refresh')).toHaveLength(0);
  });

  it.each(['invalid_token', 'token_revoked', 'unauthenticated', 'agent_token_required'])(
    'The agent client does not refresh on a 401 %s',
    async code => {
      service.on('GET /v1/auth/me', () => refuse(401, code));
      await expect(agent.me()).rejects.toMatchObject({ status: 401, code });
      expect(service.requests.map(({ path }) => path)).toEqual(['/v1/auth/login', '/v1/auth/me']);
    },
  );

  it('The agent client refreshes once per call, and fails when the new token has expired too', async () => {
    service.on('GET /v1/auth/me', () => refuse(401, 'token_expired'));
    await expect(agent.me()).rejects.toMatchObject({ code: 'token_expired' });
    expect(service.requestsTo('POST /v1/auth/refresh')).toHaveLength(1);
  });

  it('The agent client passes every new token pair to `onTokens`, and null when the session has ended', async () => {
    expireAccess();
    await agent.me();
    service.on('POST /v1/auth/refresh', () => refuse(401, 'token_revoked'));
    await expect(agent.refresh()).rejects.toMatchObject({ code: 'token_revoked' });
    expect(savedTokens.map(pair => pair?.token ?? null)).toEqual(['t1', 't0', 't2', null]);
    await expect(agent.me()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  it('The agent client stays logged in when a refresh gets no answer', async () => {
    expireAccess();
    service.on('POST /v1/auth/refresh', () => 'cut');
    await expect(agent.me()).rejects.toMatchObject({ code: 'network_error' });
    expect(agent.tokens).toBeDefined();
  });

  it('The agent client forgets its tokens at logout even when the service does not answer', async () => {
    service.on('POST /v1/auth/logout', () => 'cut');
    await expect(agent.logout()).rejects.toMatchObject({ code: 'network_error' });
    expect(agent.tokens).toBeUndefined();
  });
});

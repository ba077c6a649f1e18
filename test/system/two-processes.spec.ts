import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { cloneDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import type { Json } from '../support/json.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { PASSWORD, unique } from '../support/world.js';

/** How long a socket may stay open after its session ended on the other instance, in milliseconds. */
const SECOND_MS = 1_000;

describe('Two processes on one PostgreSQL without a bus', () => {
  let database: TestDatabase;
  let here: string;
  let there: string;
  let owner: Json;
  let key: string;
  const running: ServiceProcess[] = [];

  beforeAll(async () => {
    ensureBuilt();
    database = await cloneDatabase();
    running.push(...[1, 2].map(() => ServiceProcess.start({ DATABASE_URL: database.url })));
    [here = '', there = ''] = await Promise.all(running.map(service => service.url()));
    const email = `${unique('owner')}@example.com`;
    const body = { workspace_name: 'Desk', name: 'Olivia', email, password: PASSWORD };
    owner = (await call('POST', `${here}/v1/auth/register`, { body })).body.data;
    key = (await call('POST', `${here}/v1/api-keys`, { token: owner.token, body: { name: 'backend' } })).body.data.key;
  }, 240_000);
  afterAll(async () => {
    await Promise.all(running.map(service => service.stop()));
    await database.drop();
  });

  /** A colleague signed in on the other process, with an open socket there. */
  async function colleague(): Promise<{ session: Json; closed: Promise<number>; email: string }> {
    const email = `${unique('agent')}@example.com`;
    const body = { email, name: 'Adam', password: PASSWORD };
    await call('POST', `${here}/v1/workspace/members`, { token: key, body });
    const login = await call('POST', `${there}/v1/auth/login`, { body: { email, password: PASSWORD } });
    const socket = new WebSocket(`${there.replace('http', 'ws')}/ws/agent?token=${login.body.data.token}`);
    const closed = new Promise<number>(resolve => socket.once('close', resolve));
    await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    return { session: login.body.data, closed, email };
  }

  async function within(ms: number, closed: Promise<number>): Promise<number | 'open'> {
    const late = new Promise<'open'>(resolve => setTimeout(() => resolve('open'), ms));
    return Promise.race([closed, late]);
  }

  const me = (token: string) => call('GET', `${there}/v1/auth/me`, { token });

  it('An API key revoked on one process is refused by the other from the next request on.', async () => {
    const made = await call('POST', `${here}/v1/api-keys`, { token: owner.token, body: { name: 'short' } });
    const { id, key: short } = made.body.data;
    expect((await call('GET', `${there}/v1/workspace`, { token: short })).status).toBe(200);
    await call('DELETE', `${here}/v1/api-keys/${id}`, { token: owner.token });
    expect((await call('GET', `${there}/v1/workspace`, { token: short })).status).toBe(401);
  });

  it('A member deactivated on one process loses token, refresh token, ticket and socket on the other within a second.', async () => {
    const { session, closed, email } = await colleague();
    const issued = await call('POST', `${there}/v1/auth/sso/ticket`, { token: key, body: { email } });
    const ticket = String(issued.body.data.redirect_url).split('sso_ticket=')[1];
    const path = `${here}/v1/workspace/members/${session.member.id}/deactivate`;
    expect((await call('POST', path, { token: key })).status).toBe(200);
    expect(await within(SECOND_MS, closed)).toBe(4500);
    expect((await me(session.token)).body.error.code).toBe('token_revoked');
    const body = { refresh_token: session.refresh_token };
    expect((await call('POST', `${there}/v1/auth/refresh`, { body })).status).toBe(401);
    expect((await call('POST', `${there}/v1/auth/sso/exchange`, { body: { ticket } })).status).toBe(401);
  });

  it('A session ended on one process (logout, changed password, revoked API key) ends on the other.', async () => {
    const left = await colleague();
    await call('POST', `${here}/v1/auth/logout`, { body: { refresh_token: left.session.refresh_token } });
    expect(await within(SECOND_MS, left.closed)).toBe(4502);
    expect((await me(left.session.token)).status).toBe(401);

    const changed = await colleague();
    const again = await call('POST', `${here}/v1/auth/login`, { body: { email: changed.email, password: PASSWORD } });
    const passwords = { old_password: PASSWORD, password: 'another correct horse' };
    await call('POST', `${here}/v1/auth/password`, { token: again.body.data.token, body: passwords });
    expect(await within(SECOND_MS, changed.closed)).toBe(4502);
    expect((await me(changed.session.token)).status).toBe(401);

    const made = await call('POST', `${here}/v1/api-keys`, { token: owner.token, body: { name: 'minter' } });
    const minted = await call('POST', `${there}/v1/auth/agent-token`, {
      token: made.body.data.key,
      body: { email: changed.email },
    });
    expect((await me(minted.body.data.token)).status).toBe(200);
    const path = `${here}/v1/api-keys/${made.body.data.id}?end_sessions=true`;
    await call('DELETE', path, { token: owner.token });
    expect((await me(minted.body.data.token)).status).toBe(401);
  });
});

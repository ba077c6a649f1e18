import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { sha256 } from '../../src/kernel/secret.js';
import { SsoTicketRetentionJob } from '../../src/modules/sso/sso-ticket-retention.job.js';
import { eventually } from '../support/eventually.js';
import { lockedRow } from '../support/held-row.js';
import type { Answer, Caller } from '../support/http.js';
import { exchange, loggedOf, sessionBySso, sessionsOf, ticketFor, ticketIn } from '../support/sso.js';
import { StillClock } from '../support/still-clock.js';
import { readJwt } from '../support/tokens.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const clock = new StillClock();
let world: World;
beforeAll(async () => {
  world = await World.start({}, { clock });
});
afterEach(() => clock.reset());
afterAll(() => world.stop());

let desk: Desk;
let key: Caller;
let agent: Agent;
beforeEach(async () => {
  desk = await world.desk();
  key = await world.apiKey(desk);
  agent = await world.colleague(desk);
});

function ask(body: unknown, headers: Record<string, string> = {}, by = key) {
  return by.post('/v1/auth/sso/ticket', body, headers);
}

/** The one refusal of every bad ticket, and that nothing was minted for the member. */
async function expectRefused(answer: Answer<unknown>, sessions: number): Promise<void> {
  expect([answer.status, answer.error?.code]).toEqual([401, 'sso_ticket_invalid']);
  expect(JSON.stringify(answer.body)).not.toContain('eyJ');
  expect(await sessionsOf(world, agent.memberId)).toBe(sessions);
}

/** Why the workspace's log says that the last ticket was refused. */
async function refusalSaid(reason: string): Promise<void> {
  const refusals = await eventually(async () => {
    const told = await loggedOf(world, desk.workspaceId, 'session.refused');
    return told.length > 0 ? told : undefined;
  });
  expect(refusals.map(({ payload }) => payload)).toEqual([{ method: 'sso', member_id: agent.memberId, reason }]);
}

describe('a ticket goes from state to state as the specification says:', () => {
  it('"(none) → issued": "Only the hash of the ticket is stored; raw value is returned once inside redirect_url"', async () => {
    const issued = await ask({ email: agent.email, channel_ids: [desk.channelId] });
    expect([issued.status, Object.keys(issued.data)]).toEqual([200, ['redirect_url']]);
    const ticket = ticketIn(issued.data.redirect_url);
    const rows = await world.app.database.query<{ ticket_hash: string }>(
      'SELECT * FROM sso_ticket WHERE member_id = $1',
      [agent.memberId],
    );
    expect(rows).toMatchObject([{ ticket_hash: sha256(ticket), spent_at: null, channel_ids: [desk.channelId] }]);
    expect(JSON.stringify(rows)).not.toContain(ticket);
    expect(await sessionsOf(world, agent.memberId)).toBe(1);
  });

  it('"issued → consumed": "access token, refresh token, member, workspace and scope are returned"', async () => {
    const session = await exchange(world, await ticketFor(key, agent.email));
    expect(session.status).toBe(200);
    expect(session.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      member: { id: agent.memberId, email: agent.email },
      workspace: { id: desk.workspaceId },
      scope: { type: 'all', channel_ids: null },
    });
    expect(readJwt(session.data.token).claims).toMatchObject({ aud: 'agent', sub: agent.memberId });
    expect(readJwt(session.data.refresh_token).claims).toMatchObject({ aud: 'refresh', sub: agent.memberId });
    expect((await world.as(session.data.token).get('/v1/auth/me')).data.member.id).toBe(agent.memberId);
    expect((await world.anyone.post('/v1/auth/refresh', { refresh_token: session.data.refresh_token })).status).toBe(
      200,
    );
  });

  it('"issued → consumed": "Within 60 seconds of issue": in the last thousandth of the last second too', async () => {
    const at = clock.stop();
    const ticket = await ticketFor(key, agent.email);
    clock.stop(new Date(at.getTime() + 59_999));
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('"issued → expired": "60 seconds elapsed": "Exchange then returns 401"', async () => {
    const at = clock.stop();
    const ticket = await ticketFor(key, agent.email);
    clock.stop(new Date(at.getTime() + 60_000));
    await expectRefused(await exchange(world, ticket), 1);
    await refusalSaid('expired');
  });

  it('"consumed → consumed": "401; no tokens minted", within the minute and after it', async () => {
    const ticket = await ticketFor(key, agent.email);
    expect((await exchange(world, ticket)).status).toBe(200);
    await expectRefused(await exchange(world, ticket), 2);
    await refusalSaid('spent');
    clock.advance(61);
    await expectRefused(await exchange(world, ticket), 2);
  });

  it('"expired → expired": "401; no tokens minted", however often it is tried, and a day later', async () => {
    const ticket = await ticketFor(key, agent.email);
    clock.advance(61);
    await expectRefused(await exchange(world, ticket), 1);
    await expectRefused(await exchange(world, ticket), 1);
    clock.advance(90_000);
    await world.app.app.get(SsoTicketRetentionJob).run();
    await expectRefused(await exchange(world, ticket), 1);
  });

  it('"An unknown ticket on exchange returns 401"', async () => {
    const unknown = `sst_${'A'.repeat(43)}`;
    await expectRefused(await exchange(world, unknown), 1);
    expect(await loggedOf(world, desk.workspaceId, 'session.refused')).toEqual([]);
  });
});

describe('POST /v1/auth/sso/ticket', () => {
  it('"API key only (Authorization: Bearer <API_KEY>)"', async () => {
    const visitor = await world.visitor(desk);
    const body = { email: agent.email };
    const refusals = await Promise.all([
      ask(body, {}, world.anyone),
      ask(body, {}, desk.owner.api),
      ask(body, {}, world.as(desk.owner.refreshToken)),
      ask(body, {}, visitor.api),
      ask(body, {}, world.as(`svc_sk_${'0'.repeat(32)}`)),
    ]);
    expect(refusals.map(({ status, error }) => [status, error.code])).toEqual([
      [401, 'unauthenticated'],
      ...[1, 2, 3].map(() => [401, 'api_key_required']),
      [401, 'invalid_token'],
    ]);
    expect(refusals.every(({ headers }) => headers['www-authenticate']?.startsWith('Bearer'))).toBe(true);
  });

  it('"Must not be called from a browser": what only browsers send is refused, and no page may read the answer', async () => {
    const body = { email: agent.email };
    const browsers: Record<string, string>[] = [
      { Origin: 'https://shop.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-origin' },
    ];
    for (const headers of browsers) {
      const refused = await ask(body, headers);
      expect([refused.status, refused.error.code]).toEqual([403, 'browser_not_allowed']);
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    }
    const preflight = await fetch(`${world.app.url}/v1/auth/sso/ticket`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(await world.app.database.query('SELECT 1 FROM sso_ticket WHERE member_id = $1', [agent.memberId])).toEqual(
      [],
    );
  });

  it('"email | string | yes"', async () => {
    for (const body of [
      {},
      { email: null },
      { email: '' },
      { email: 7 },
      { email: 'nobody' },
      { email: [agent.email] },
    ]) {
      const refused = await ask(body);
      expect([refused.status, refused.error.code]).toEqual([400, 'validation_failed']);
      expect(refused.error.details?.map(({ field }) => field)).toEqual(['email']);
    }
    expect((await ask(undefined)).status).toBe(400);
  });

  it('"email": however it is written', async () => {
    expect((await ask({ email: `  ${agent.email.toUpperCase()} ` })).status).toBe(200);
  });

  it('"Must be an active member of the API key\'s workspace"', async () => {
    const elsewhere = await world.desk();
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    for (const email of [`${unique('nobody')}@example.com`, elsewhere.owner.email, agent.email]) {
      const refused = await ask({ email });
      expect([refused.status, refused.error.code]).toEqual([404, 'member_not_found']);
    }
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
    expect((await ask({ email: agent.email })).status).toBe(200);
  });

  it('"channel_ids": "Omitted: full workspace access"', async () => {
    const session = await sessionBySso(world, key, agent.email);
    expect(session.scope).toEqual({ type: 'all', channel_ids: null });
    const later = await world.channel(desk);
    expect((await world.as(session.token).get(`/v1/channels/${later.id}`)).status).toBe(200);
  });

  it('"channel_ids": "Empty array: valid zero-channel scope"', async () => {
    const visitor = await world.visitor(desk);
    await world.conversation(visitor);
    const session = await sessionBySso(world, key, desk.owner.email, []);
    expect(session.scope).toEqual({ type: 'channels', channel_ids: [] });
    const api = world.as(session.token);
    for (const path of ['/v1/channels', '/v1/conversations', '/v1/contacts']) {
      expect([path, (await api.get(path)).data.items]).toEqual([path, []]);
    }
    expect((await api.get(`/v1/channels/${desk.channelId}`)).status).toBe(404);
    const admin = await api.get('/v1/api-keys');
    expect([admin.status, admin.error.code]).toEqual([403, 'scope_too_narrow']);
  });

  it('"channel_ids": "Non-empty array: validated against the workspace"', async () => {
    const other = await world.channel(desk);
    const session = await sessionBySso(world, key, desk.owner.email, [other.id]);
    expect(session.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const api = world.as(session.token);
    expect((await api.get(`/v1/channels/${other.id}`)).status).toBe(200);
    expect((await api.get(`/v1/channels/${desk.channelId}`)).status).toBe(404);
  });

  it('"channel_ids": "unknown ids and duplicate ids are rejected"', async () => {
    const elsewhere = await world.desk();
    const gone = await world.channel(desk);
    await desk.owner.api.delete(`/v1/channels/${gone.id}`);
    const bad = [
      [newId()],
      [desk.channelId, elsewhere.channelId],
      [gone.id],
      ['x'],
      [desk.channelId.toUpperCase()],
      [null],
      [7],
      [desk.channelId, desk.channelId],
    ];
    for (const channel_ids of bad) {
      const refused = await ask({ email: agent.email, channel_ids });
      expect([channel_ids, refused.status, refused.error.code]).toEqual([channel_ids, 400, 'validation_failed']);
      expect(refused.error.details?.[0]?.field).toMatch(/^channel_ids/);
    }
    const named = await ask({ email: agent.email, channel_ids: [desk.channelId, elsewhere.channelId] });
    expect(named.error.details).toMatchObject([{ field: 'channel_ids[1]', code: 'unknown' }]);
  });

  it('"channel_ids": "JSON null: rejected", as is what is no array', async () => {
    for (const channel_ids of [null, desk.channelId, {}, true]) {
      const refused = await ask({ email: agent.email, channel_ids });
      expect([refused.status, refused.error.code]).toEqual([400, 'validation_failed']);
      expect(refused.error.details).toMatchObject([{ field: 'channel_ids' }]);
    }
  });

  it('"data.redirect_url (string) = {dashboard_url} followed by a fragment `#sso_ticket=<one-time-ticket>`"', async () => {
    const { data } = await ask({ email: agent.email });
    const [address, fragment = ''] = data.redirect_url.split('#');
    expect(address).toBe(world.app.config.dashboardUrl);
    expect(fragment).toMatch(/^sso_ticket=sst_[A-Za-z0-9_-]{43}$/);
  });

  it('checks in the order of 401, 403, 429, 400, 404', async () => {
    const narrow = await world.apiKey(desk, { scopes: ['workspace:read'] });
    const stranger = { email: `${unique('nobody')}@example.com` };
    const origin = { Origin: 'https://shop.example' };
    expect((await ask({}, origin, world.as('svc_sk_x'))).status).toBe(401);
    expect([(await ask({}, {}, narrow)).status, (await ask({}, {}, narrow)).error.code]).toEqual([403, 'forbidden']);
    expect((await ask({}, origin)).error.code).toBe('browser_not_allowed');
    expect((await ask({ ...stranger, channel_ids: [newId()] })).status).toBe(400);
    expect((await ask(stranger)).status).toBe(404);
  });

  it('gives each ticket once: no two are alike, and each opens its own session', async () => {
    const tickets = await Promise.all([1, 2, 3].map(() => ticketFor(key, agent.email)));
    expect(new Set(tickets).size).toBe(3);
    const statuses = await Promise.all(tickets.map(async ticket => (await exchange(world, ticket)).status));
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('is told to the log with who, for whom and until when, without the ticket', async () => {
    const at = clock.stop();
    const ticket = await ticketFor(key, agent.email, [desk.channelId]);
    const [issued, ...more] = await loggedOf(world, desk.workspaceId, 'sso_ticket.issued');
    expect(more).toEqual([]);
    expect(issued).toMatchObject({
      actor: { type: 'api_key', id: issued.payload.api_key_id },
      payload: { member_id: agent.memberId, channel_ids: [desk.channelId] },
    });
    expect(issued.address).toMatch(/127\.0\.0\.1$/);
    expect(Date.parse(issued.payload.expires_at)).toBe(at.getTime() + 60_000);
    expect(JSON.stringify(issued)).not.toContain(ticket);
  });
});

describe('POST /v1/auth/sso/exchange', () => {
  it('"ticket | string | yes"', async () => {
    for (const body of [{}, { ticket: null }, { ticket: '' }, { ticket: 7 }, { ticket: ['sst_x'] }, undefined]) {
      const refused = await world.anyone.post('/v1/auth/sso/exchange', body);
      expect([body, refused.status, refused.error.code]).toEqual([body, 400, 'validation_failed']);
      expect(refused.error.details?.map(({ field }) => field)).toEqual(['ticket']);
    }
  });

  it('"public; accepts only the opaque one-time ticket, never an API key or JWT"', async () => {
    const others = [
      key.token ?? '',
      agent.token,
      agent.refreshToken,
      desk.widgetToken,
      (await world.visitor(desk)).token,
    ];
    for (const ticket of others) await expectRefused(await exchange(world, ticket), 1);
  });

  it('never takes an API key or JWT in the header for a ticket, nor minds one beside a good ticket', async () => {
    for (const by of [key, agent.api]) {
      expect((await by.post('/v1/auth/sso/exchange', {})).status).toBe(400);
      const ticket = await ticketFor(key, agent.email);
      expect((await by.post('/v1/auth/sso/exchange', { ticket })).status).toBe(200);
    }
    const ticket = await ticketFor(key, agent.email);
    expect((await world.as('nonsense').post('/v1/auth/sso/exchange', { ticket })).status).toBe(200);
  });

  it('refuses every malformed ticket alike', async () => {
    const ticket = await ticketFor(key, agent.email);
    const malformed = [
      'x',
      'sst_',
      ' ',
      ticket.slice(0, -1),
      `${ticket}A`,
      ` ${ticket}`,
      `${ticket}\n`,
      ticket.slice('sst_'.length),
      ticket.toLowerCase(),
      sha256(ticket),
      "' OR 1=1 --",
      '🎫',
      'sst_'.repeat(8_000),
    ];
    for (const bad of malformed) await expectRefused(await exchange(world, bad), 1);
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('answers "token, refresh_token, member, workspace, scope" to pages of any origin, and nobody may keep it', async () => {
    const session = await world.anyone.post(
      '/v1/auth/sso/exchange',
      { ticket: await ticketFor(key, agent.email) },
      { Origin: 'https://desk.example', 'Sec-Fetch-Site': 'cross-site' },
    );
    expect(session.status).toBe(200);
    const fields = ['token', 'refresh_token', 'token_type', 'expires_in', 'member', 'workspace', 'scope'];
    expect(Object.keys(session.data)).toEqual(fields);
    expect(session.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
  });

  it('opens a session that rotates where it is asked for, and one that does not where it is not', async () => {
    const refresh = (refresh_token: string) => world.anyone.post('/v1/auth/refresh', { refresh_token });
    const plain = await sessionBySso(world, key, agent.email);
    expect((await refresh(plain.refresh_token)).data.refresh_token).toBe(plain.refresh_token);
    const rotating = await sessionBySso(world, key, agent.email, undefined, { rotate: true });
    expect((await refresh(rotating.refresh_token)).data.refresh_token).not.toBe(rotating.refresh_token);
  });

  it("cuts the ticket's channels by the member's own", async () => {
    const other = await world.channel(desk);
    const scoped = await world.colleague(desk, { channel_ids: [other.id] });
    const wide = await sessionBySso(world, key, scoped.email);
    expect(wide.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const both = await sessionBySso(world, key, scoped.email, [desk.channelId, other.id]);
    expect(both.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const none = await sessionBySso(world, key, scoped.email, [desk.channelId]);
    expect(none.scope).toEqual({ type: 'channels', channel_ids: [] });
  });

  it('leaves out channels that were deleted since, and none left is still not all', async () => {
    const [kept, gone] = [await world.channel(desk), await world.channel(desk)];
    const [one, none, all] = [
      await ticketFor(key, desk.owner.email, [kept.id, gone.id]),
      await ticketFor(key, desk.owner.email, [gone.id]),
      await ticketFor(key, desk.owner.email),
    ];
    await desk.owner.api.delete(`/v1/channels/${gone.id}`);
    expect((await exchange(world, one)).data.scope).toEqual({ type: 'channels', channel_ids: [kept.id] });
    expect((await exchange(world, none)).data.scope).toEqual({ type: 'channels', channel_ids: [] });
    expect((await exchange(world, all)).data.scope).toEqual({ type: 'all', channel_ids: null });
    const stored = await world.app.database.query<{ channel_ids: string[] | null }>(
      'SELECT channel_ids FROM session WHERE member_id = $1 AND api_key_id IS NOT NULL ORDER BY id',
      [desk.owner.memberId],
    );
    expect(stored.map(({ channel_ids }) => channel_ids)).toEqual([[kept.id], [], null]);
  });

  it('tells the log who came in, by which key and how far', async () => {
    const session = await sessionBySso(world, key, agent.email, [desk.channelId]);
    const started = await loggedOf(world, desk.workspaceId, 'session.started');
    const { payload, actor } = started.at(-1);
    expect(payload).toMatchObject({ member_id: agent.memberId, method: 'sso', channel_ids: [desk.channelId] });
    expect(actor).toEqual({ type: 'api_key', id: payload.api_key_id });
    expect(readJwt(session.token).claims).toMatchObject({ sid: payload.session_id });
  });
});

describe('a ticket that nobody has used dies', () => {
  it('with its key when that is revoked', async () => {
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'short' });
    const ticket = await ticketFor(world.as(made.data.key), agent.email);
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}`);
    await expectRefused(await exchange(world, ticket), 1);
    await refusalSaid('key_ended');
  });

  it('with its key in the moment in which that ends', async () => {
    const at = clock.stop();
    const ends = new Date(at.getTime() + 10_000);
    const ending = await world.apiKey(desk, { expires_at: ends.toISOString() });
    const [early, late] = [await ticketFor(ending, agent.email), await ticketFor(ending, agent.email)];
    clock.stop(new Date(ends.getTime() - 1));
    expect((await exchange(world, early)).status).toBe(200);
    clock.stop(ends);
    await expectRefused(await exchange(world, late), 2);
    await refusalSaid('key_ended');
  });

  it('with the deactivation of its member, and does not come back with the member', async () => {
    const [during, after] = [await ticketFor(key, agent.email), await ticketFor(key, agent.email)];
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await expectRefused(await exchange(world, during), 1);
    await refusalSaid('member_deactivated');
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
    await expectRefused(await exchange(world, after), 1);
    expect((await exchange(world, await ticketFor(key, agent.email))).status).toBe(200);
  });

  it('with neither when it is another key or another member that ends', async () => {
    const ticket = await ticketFor(key, agent.email);
    const other = await desk.owner.api.post('/v1/api-keys', { name: 'other' });
    await desk.owner.api.delete(`/v1/api-keys/${other.data.id}`);
    const colleague = await world.colleague(desk);
    await desk.owner.api.post(`/v1/workspace/members/${colleague.memberId}/deactivate`);
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('and is forgotten a day after its end, not before', async () => {
    const ids = () => world.app.database.query('SELECT id FROM sso_ticket WHERE member_id = $1', [agent.memberId]);
    const at = clock.stop();
    await exchange(world, await ticketFor(key, agent.email));
    await ticketFor(key, agent.email);
    const old = world.app.app.get(SsoTicketRetentionJob);
    clock.stop(new Date(at.getTime() + 60_000 + 24 * 3_600_000));
    await old.run();
    expect(await ids()).toHaveLength(2);
    clock.stop(new Date(clock.now().getTime() + 1));
    await old.run();
    expect(await ids()).toEqual([]);
  });
});

describe('the rules of authentication, where they are about single sign-on:', () => {
  it('3. "The server validates an API key and derives the workspace context from it"', async () => {
    // one person in two workspaces: the key decides which of them the ticket opens
    const second = await world.anyone.post('/v1/auth/register', {
      workspace_name: unique('Desk'),
      name: 'Olivia',
      email: desk.owner.email,
      password: PASSWORD,
    });
    const made = await world.as(second.data.token).post('/v1/api-keys', { name: 'second' });
    const there = await sessionBySso(world, world.as(made.data.key), desk.owner.email);
    const here = await sessionBySso(world, key, desk.owner.email);
    expect([here.workspace.id, there.workspace.id]).toEqual([desk.workspaceId, second.data.workspace.id]);
    const named = await ask({ email: desk.owner.email, workspace_id: second.data.workspace.id });
    expect((await exchange(world, ticketIn(named.data.redirect_url))).data.workspace.id).toBe(desk.workspaceId);
  });

  it('4. "API keys can be revoked, after which they are invalid at once"; "Use of a key updates its last_used_at"', async () => {
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'short' });
    const short = world.as(made.data.key);
    await ticketFor(short, agent.email);
    await eventually(async () => {
      const { items } = (await desk.owner.api.get('/v1/api-keys')).data;
      return items.find(({ id, last_used_at }: Record<string, unknown>) => id === made.data.id && last_used_at);
    });
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}`);
    const refused = await ask({ email: agent.email }, {}, short);
    expect([refused.status, refused.error.code]).toEqual([401, 'invalid_token']);
  });

  it('8. "A request with an expired token receives 401": the key\'s, and the session\'s, which then refreshes', async () => {
    const ending = await world.apiKey(desk, { expires_at: new Date(clock.now().getTime() + 60_000).toISOString() });
    const session = await sessionBySso(world, ending, agent.email);
    clock.advance(901);
    const late = await ask({ email: agent.email }, {}, ending);
    expect([late.status, late.error.code]).toEqual([401, 'token_expired']);
    const me = await world.as(session.token).get('/v1/auth/me');
    expect([me.status, me.error.code]).toEqual([401, 'token_expired']);
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: session.refresh_token });
    expect((await world.as(refreshed.data.token).get('/v1/auth/me')).status).toBe(200);
  });

  it('a session has the lifetimes of every other: 15 minutes, and 7 days, "afterwards login is required again"', async () => {
    const at = clock.stop();
    const session = await sessionBySso(world, key, agent.email);
    const [access, refresh] = [readJwt(session.token).claims, readJwt(session.refresh_token).claims];
    const second = Math.floor(at.getTime() / 1000);
    expect([access.exp - second, refresh.exp - second]).toEqual([900, 7 * 24 * 3600]);
    clock.stop(new Date(at.getTime() + 7 * 24 * 3_600_000));
    const late = await world.anyone.post('/v1/auth/refresh', { refresh_token: session.refresh_token });
    expect([late.status, late.error.code]).toEqual([401, 'token_expired']);
  });
});

describe('a session that a key has minted', () => {
  it('is bound to the workspace of the key for ever: `workspaces` lists only that, refresh included', async () => {
    await world.anyone.post('/v1/auth/register', {
      workspace_name: unique('Desk'),
      name: 'Olivia',
      email: desk.owner.email,
      password: PASSWORD,
    });
    expect((await desk.owner.api.get('/v1/auth/me')).data.workspaces).toHaveLength(2);
    const session = await sessionBySso(world, key, desk.owner.email);
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: session.refresh_token });
    for (const { token } of [session, refreshed.data]) {
      const { workspaces } = (await world.as(token).get('/v1/auth/me')).data;
      expect(workspaces.map(({ id }: { id: string }) => id)).toEqual([desk.workspaceId]);
    }
  });

  it('is never widened by a refresh, also where the member is', async () => {
    const other = await world.channel(desk);
    const session = await sessionBySso(world, key, agent.email, [other.id], { rotate: true });
    const refreshed = await world.anyone.post('/v1/auth/refresh', {
      refresh_token: session.refresh_token,
      channel_ids: [desk.channelId, other.id],
      workspace_id: newId(),
    });
    expect(refreshed.data.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    await desk.owner.api.patch(`/v1/workspace/members/${agent.memberId}`, { channel_ids: [desk.channelId] });
    const cut = await world.anyone.post('/v1/auth/refresh', { refresh_token: refreshed.data.refresh_token });
    expect(cut.data.scope).toEqual({ type: 'channels', channel_ids: [] });
  });

  it('opens sockets within its scope', async () => {
    const other = await world.channel(desk);
    const session = await sessionBySso(world, key, agent.email, [other.id]);
    const socket = await world.agentSocket(world.agentOf(session, agent.email));
    await world.conversation(await world.visitor(desk), 'not for you');
    const theirs = await world.conversation(await world.visitor({ widgetToken: other.widget_token }), 'for you');
    const heard = await socket.next('message.created');
    expect(heard.conversation_id).toBe(theirs.id);
    expect(socket.frames.filter(({ type }) => type === 'message.created')).toHaveLength(1);
    socket.ws.close();
  });

  it('outlives its key, unless whoever revokes that also ends what it minted', async () => {
    const [kept, ended] = await Promise.all([1, 2].map(() => desk.owner.api.post('/v1/api-keys', { name: 'stolen' })));
    const survivor = await sessionBySso(world, world.as(kept?.data.key), agent.email);
    const stolen = await sessionBySso(world, world.as(ended?.data.key), desk.owner.email);
    const socket = await world.agentSocket(world.agentOf(stolen, desk.owner.email));
    await desk.owner.api.delete(`/v1/api-keys/${kept?.data.id}`);
    await desk.owner.api.delete(`/v1/api-keys/${ended?.data.id}?end_sessions=true`);
    expect((await world.as(survivor.token).get('/v1/auth/me')).status).toBe(200);
    const dead = await world.as(stolen.token).get('/v1/auth/me');
    expect([dead.status, dead.error.code]).toEqual([401, 'token_revoked']);
    const refresh = await world.anyone.post('/v1/auth/refresh', { refresh_token: stolen.refresh_token });
    expect([refresh.status, refresh.error.code]).toEqual([401, 'token_revoked']);
    await socket.end();
    expect((await desk.owner.api.get('/v1/auth/me')).status).toBe(200);
  });

  it('ends with the deactivation of its member', async () => {
    const session = await sessionBySso(world, key, agent.email);
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    const dead = await world.as(session.token).get('/v1/auth/me');
    expect([dead.status, dead.error.code]).toEqual([401, 'token_revoked']);
  });

  it('is the only way into a membership that no password has claimed', async () => {
    const elsewhere = await world.desk();
    const theirs = await world.apiKey(elsewhere);
    const body = { email: agent.email, name: 'Adam' };
    expect((await theirs.post('/v1/workspace/members', body)).status).toBe(201);
    const login = { email: agent.email, password: PASSWORD, workspace_id: elsewhere.workspaceId };
    expect((await world.anyone.post('/v1/auth/login', login)).status).toBe(404);
    expect((await sessionBySso(world, theirs, agent.email)).workspace.id).toBe(elsewhere.workspaceId);
  });
});

describe('spending and signing in are one', () => {
  it('a session that cannot be written leaves the ticket whole', async () => {
    const ticket = await ticketFor(key, agent.email);
    await world.app.database.query(
      `ALTER TABLE session ADD CONSTRAINT ck_planted CHECK (member_id <> '${agent.memberId}') NOT VALID`,
    );
    expect((await exchange(world, ticket)).status).toBe(500);
    await world.app.database.query('ALTER TABLE session DROP CONSTRAINT ck_planted');
    expect(await sessionsOf(world, agent.memberId)).toBe(1);
    expect((await exchange(world, ticket)).status).toBe(200);
    await expectRefused(await exchange(world, ticket), 2);
  });

  it('a connection that is cut between the two leaves one session in the end, and the ticket spent', async () => {
    const ticket = await ticketFor(key, agent.email);
    const [user] = await world.app.database.query<{ user_id: string }>('SELECT user_id FROM member WHERE id = $1', [
      agent.memberId,
    ]);
    const held = await lockedRow(world.app.database, 'user_account', user?.user_id ?? '');
    const exchanged = exchange(world, ticket);
    await held.awaited();
    const cut = await world.app.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await held.commit();
    expect(cut).toHaveLength(1);
    expect((await exchanged).status).toBe(200);
    await expectRefused(await exchange(world, ticket), 2);
  });
});

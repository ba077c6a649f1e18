import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { sha256 } from '../../src/kernel/secret.js';
import { SsoTicketRetentionJob } from '../../src/modules/sso/sso-ticket-retention.job.js';
import { eventually } from '../support/eventually.js';
import { lockRow } from '../support/blocking-transaction.js';
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

function requestTicket(body: unknown, headers: Record<string, string> = {}, by = key) {
  return by.post('/v1/auth/sso/ticket', body, headers);
}

/** Expects the refusal that every invalid ticket gets, and the number of sessions that the member has. */
async function expectRefused(answer: Answer<unknown>, sessions: number): Promise<void> {
  expect([answer.status, answer.error?.code]).toEqual([401, 'sso_ticket_invalid']);
  expect(JSON.stringify(answer.body)).not.toContain('eyJ');
  expect(await sessionsOf(world, agent.memberId)).toBe(sessions);
}

/** Expects the workspace's event log to contain this one refusal reason. */
async function expectRefusalReason(reason: string): Promise<void> {
  const refusals = await eventually(async () => {
    const events = await loggedOf(world, desk.workspaceId, 'session.refused');
    return events.length > 0 ? events : undefined;
  });
  expect(refusals.map(({ payload }) => payload)).toEqual([{ method: 'sso', member_id: agent.memberId, reason }]);
}

describe('The states of an SSO ticket in the specification', () => {
  it('"(none) → issued": "Only the hash of the ticket is stored; raw value is returned once inside redirect_url"', async () => {
    const issued = await requestTicket({ email: agent.email, channel_ids: [desk.channelId] });
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

  it('"issued → consumed": "access token, refresh token, member, workspace and scope are returned" by the exchange', async () => {
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

  it('"issued → consumed": "Within 60 seconds of issue" a ticket is accepted, up to the last millisecond', async () => {
    const at = clock.stop();
    const ticket = await ticketFor(key, agent.email);
    clock.stop(new Date(at.getTime() + 59_999));
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('"issued → expired": after "60 seconds elapsed" an "Exchange then returns 401" for the ticket', async () => {
    const at = clock.stop();
    const ticket = await ticketFor(key, agent.email);
    clock.stop(new Date(at.getTime() + 60_000));
    await expectRefused(await exchange(world, ticket), 1);
    await expectRefusalReason('expired');
  });

  it('"consumed → consumed": a used ticket gets "401; no tokens minted", within the minute and after it', async () => {
    const ticket = await ticketFor(key, agent.email);
    expect((await exchange(world, ticket)).status).toBe(200);
    await expectRefused(await exchange(world, ticket), 2);
    await expectRefusalReason('spent');
    clock.advance(61);
    await expectRefused(await exchange(world, ticket), 2);
  });

  it('"expired → expired": an expired ticket gets "401; no tokens minted" each time, also a day later', async () => {
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
  it('"API key only (Authorization: Bearer <API_KEY>)": every other credential for an SSO ticket is refused (401)', async () => {
    const visitor = await world.visitor(desk);
    const body = { email: agent.email };
    const refusals = await Promise.all([
      requestTicket(body, {}, world.anyone),
      requestTicket(body, {}, desk.owner.api),
      requestTicket(body, {}, world.as(desk.owner.refreshToken)),
      requestTicket(body, {}, visitor.api),
      requestTicket(body, {}, world.as(`svc_sk_${'0'.repeat(32)}`)),
    ]);
    expect(refusals.map(({ status, error }) => [status, error.code])).toEqual([
      [401, 'unauthenticated'],
      ...[1, 2, 3].map(() => [401, 'api_key_required']),
      [401, 'invalid_token'],
    ]);
    expect(refusals.every(({ headers }) => headers['www-authenticate']?.startsWith('Bearer'))).toBe(true);
  });

  it('"Must not be called from a browser": a ticket request with a browser’s headers is 403 without CORS headers', async () => {
    const body = { email: agent.email };
    const browsers: Record<string, string>[] = [
      { Origin: 'https://shop.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-origin' },
    ];
    for (const headers of browsers) {
      const refused = await requestTicket(body, headers);
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

  it('"email | string | yes": a ticket request without a valid e-mail is refused (400)', async () => {
    for (const body of [
      {},
      { email: null },
      { email: '' },
      { email: 7 },
      { email: 'nobody' },
      { email: [agent.email] },
    ]) {
      const refused = await requestTicket(body);
      expect([refused.status, refused.error.code]).toEqual([400, 'validation_failed']);
      expect(refused.error.details?.map(({ field }) => field)).toEqual(['email']);
    }
    expect((await requestTicket(undefined)).status).toBe(400);
  });

  it('"email": a ticket request finds the member regardless of case and surrounding spaces', async () => {
    expect((await requestTicket({ email: `  ${agent.email.toUpperCase()} ` })).status).toBe(200);
  });

  it(`"Must be an active member of the API key's workspace": a ticket for anyone else is 404 member_not_found`, async () => {
    const elsewhere = await world.desk();
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    for (const email of [`${unique('nobody')}@example.com`, elsewhere.owner.email, agent.email]) {
      const refused = await requestTicket({ email });
      expect([refused.status, refused.error.code]).toEqual([404, 'member_not_found']);
    }
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
    expect((await requestTicket({ email: agent.email })).status).toBe(200);
  });

  it('"channel_ids": "Omitted: full workspace access" for the session', async () => {
    const session = await sessionBySso(world, key, agent.email);
    expect(session.scope).toEqual({ type: 'all', channel_ids: null });
    const later = await world.channel(desk);
    expect((await world.as(session.token).get(`/v1/channels/${later.id}`)).status).toBe(200);
  });

  it('"channel_ids": "Empty array: valid zero-channel scope" for the session', async () => {
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

  it('"channel_ids": "Non-empty array: validated against the workspace" and the session’s scope', async () => {
    const other = await world.channel(desk);
    const session = await sessionBySso(world, key, desk.owner.email, [other.id]);
    expect(session.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const api = world.as(session.token);
    expect((await api.get(`/v1/channels/${other.id}`)).status).toBe(200);
    expect((await api.get(`/v1/channels/${desk.channelId}`)).status).toBe(404);
  });

  it('"channel_ids": "unknown ids and duplicate ids are rejected" in a ticket request (400)', async () => {
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
      const refused = await requestTicket({ email: agent.email, channel_ids });
      expect([channel_ids, refused.status, refused.error.code]).toEqual([channel_ids, 400, 'validation_failed']);
      expect(refused.error.details?.[0]?.field).toMatch(/^channel_ids/);
    }
    const named = await requestTicket({ email: agent.email, channel_ids: [desk.channelId, elsewhere.channelId] });
    expect(named.error.details).toMatchObject([{ field: 'channel_ids[1]', code: 'unknown' }]);
  });

  it('"channel_ids": "JSON null: rejected" in a ticket request (400), and so is any other value but an array', async () => {
    for (const channel_ids of [null, desk.channelId, {}, true]) {
      const refused = await requestTicket({ email: agent.email, channel_ids });
      expect([refused.status, refused.error.code]).toEqual([400, 'validation_failed']);
      expect(refused.error.details).toMatchObject([{ field: 'channel_ids' }]);
    }
  });

  it('"data.redirect_url (string) = {dashboard_url} followed by a fragment `#sso_ticket=<one-time-ticket>`"', async () => {
    const { data } = await requestTicket({ email: agent.email });
    const [address, fragment = ''] = data.redirect_url.split('#');
    expect(address).toBe(world.app.config.dashboardUrl);
    expect(fragment).toMatch(/^sso_ticket=sst_[A-Za-z0-9_-]{43}$/);
  });

  it('A ticket request is checked in the order 401, 403, 400, 404', async () => {
    const narrow = await world.apiKey(desk, { scopes: ['workspace:read'] });
    const stranger = { email: `${unique('nobody')}@example.com` };
    const origin = { Origin: 'https://shop.example' };
    expect((await requestTicket({}, origin, world.as('svc_sk_x'))).status).toBe(401);
    expect([(await requestTicket({}, {}, narrow)).status, (await requestTicket({}, {}, narrow)).error.code]).toEqual([
      403,
      'forbidden',
    ]);
    expect((await requestTicket({}, origin)).error.code).toBe('browser_not_allowed');
    expect((await requestTicket({ ...stranger, channel_ids: [newId()] })).status).toBe(400);
    expect((await requestTicket(stranger)).status).toBe(404);
  });

  it('Each SSO ticket is unique and opens its own session', async () => {
    const tickets = await Promise.all([1, 2, 3].map(() => ticketFor(key, agent.email)));
    expect(new Set(tickets).size).toBe(3);
    const statuses = await Promise.all(tickets.map(async ticket => (await exchange(world, ticket)).status));
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('A ticket request records the key, the member, the channels and the expiry, without the ticket', async () => {
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
  it('"ticket | string | yes": an exchange without a ticket is refused (400)', async () => {
    for (const body of [{}, { ticket: null }, { ticket: '' }, { ticket: 7 }, { ticket: ['sst_x'] }, undefined]) {
      const refused = await world.anyone.post('/v1/auth/sso/exchange', body);
      expect([body, refused.status, refused.error.code]).toEqual([body, 400, 'validation_failed']);
      expect(refused.error.details?.map(({ field }) => field)).toEqual(['ticket']);
    }
  });

  it('"public; accepts only the opaque one-time ticket, never an API key or JWT": any other token is refused (401)', async () => {
    const others = [
      key.token ?? '',
      agent.token,
      agent.refreshToken,
      desk.widgetToken,
      (await world.visitor(desk)).token,
    ];
    for (const ticket of others) await expectRefused(await exchange(world, ticket), 1);
  });

  it('An exchange ignores the Authorization header: it neither replaces a ticket nor spoils a valid one', async () => {
    for (const by of [key, agent.api]) {
      expect((await by.post('/v1/auth/sso/exchange', {})).status).toBe(400);
      const ticket = await ticketFor(key, agent.email);
      expect((await by.post('/v1/auth/sso/exchange', { ticket })).status).toBe(200);
    }
    const ticket = await ticketFor(key, agent.email);
    expect((await world.as('nonsense').post('/v1/auth/sso/exchange', { ticket })).status).toBe(200);
  });

  it('Every malformed ticket gets the same 401', async () => {
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

  it('An exchange answers "token, refresh_token, member, workspace, scope" to pages of any origin, uncached', async () => {
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

  it('An exchange opens a session that rotates its refresh token only with `rotate`', async () => {
    const refresh = (refresh_token: string) => world.anyone.post('/v1/auth/refresh', { refresh_token });
    const plain = await sessionBySso(world, key, agent.email);
    expect((await refresh(plain.refresh_token)).data.refresh_token).toBe(plain.refresh_token);
    const rotating = await sessionBySso(world, key, agent.email, undefined, { rotate: true });
    expect((await refresh(rotating.refresh_token)).data.refresh_token).not.toBe(rotating.refresh_token);
  });

  it("The scope of a session is the ticket's channels limited to those of the member", async () => {
    const other = await world.channel(desk);
    const scoped = await world.colleague(desk, { channel_ids: [other.id] });
    const wide = await sessionBySso(world, key, scoped.email);
    expect(wide.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const both = await sessionBySso(world, key, scoped.email, [desk.channelId, other.id]);
    expect(both.scope).toEqual({ type: 'channels', channel_ids: [other.id] });
    const none = await sessionBySso(world, key, scoped.email, [desk.channelId]);
    expect(none.scope).toEqual({ type: 'channels', channel_ids: [] });
  });

  it('A session’s scope omits channels deleted since the ticket, and stays empty rather than full', async () => {
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

  it('An exchange records the member, the key, the channels and the session', async () => {
    const session = await sessionBySso(world, key, agent.email, [desk.channelId]);
    const started = await loggedOf(world, desk.workspaceId, 'session.started');
    const { payload, actor } = started.at(-1);
    expect(payload).toMatchObject({ member_id: agent.memberId, method: 'sso', channel_ids: [desk.channelId] });
    expect(actor).toEqual({ type: 'api_key', id: payload.api_key_id });
    expect(readJwt(session.token).claims).toMatchObject({ sid: payload.session_id });
  });
});

describe('An unused SSO ticket', () => {
  it('An unused ticket becomes invalid when its key is revoked', async () => {
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'short' });
    const ticket = await ticketFor(world.as(made.data.key), agent.email);
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}`);
    await expectRefused(await exchange(world, ticket), 1);
    await expectRefusalReason('key_ended');
  });

  it('An unused ticket becomes invalid at the moment its key expires', async () => {
    const at = clock.stop();
    const ends = new Date(at.getTime() + 10_000);
    const ending = await world.apiKey(desk, { expires_at: ends.toISOString() });
    const [early, late] = [await ticketFor(ending, agent.email), await ticketFor(ending, agent.email)];
    clock.stop(new Date(ends.getTime() - 1));
    expect((await exchange(world, early)).status).toBe(200);
    clock.stop(ends);
    await expectRefused(await exchange(world, late), 2);
    await expectRefusalReason('key_ended');
  });

  it('An unused ticket becomes invalid when its member is deactivated, and stays so after a reactivation', async () => {
    const [during, after] = [await ticketFor(key, agent.email), await ticketFor(key, agent.email)];
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    await expectRefused(await exchange(world, during), 1);
    await expectRefusalReason('member_deactivated');
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/reactivate`);
    await expectRefused(await exchange(world, after), 1);
    expect((await exchange(world, await ticketFor(key, agent.email))).status).toBe(200);
  });

  it('An unused ticket stays valid when another key or another member ends', async () => {
    const ticket = await ticketFor(key, agent.email);
    const other = await desk.owner.api.post('/v1/api-keys', { name: 'other' });
    await desk.owner.api.delete(`/v1/api-keys/${other.data.id}`);
    const colleague = await world.colleague(desk);
    await desk.owner.api.post(`/v1/workspace/members/${colleague.memberId}/deactivate`);
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('An SSO ticket is deleted a day after its expiry, and not before', async () => {
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

describe('The rules of authentication for single sign-on', () => {
  it('3. "The server validates an API key and derives the workspace context from it", for SSO tickets too', async () => {
    // one person in two workspaces: the key decides which workspace the ticket opens
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
    const named = await requestTicket({ email: desk.owner.email, workspace_id: second.data.workspace.id });
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
    const refused = await requestTicket({ email: agent.email }, {}, short);
    expect([refused.status, refused.error.code]).toEqual([401, 'invalid_token']);
  });

  it('8. "A request with an expired token receives 401": with an expired key, and with a session’s expired token', async () => {
    const ending = await world.apiKey(desk, { expires_at: new Date(clock.now().getTime() + 60_000).toISOString() });
    const session = await sessionBySso(world, ending, agent.email);
    clock.advance(901);
    const late = await requestTicket({ email: agent.email }, {}, ending);
    expect([late.status, late.error.code]).toEqual([401, 'token_expired']);
    const me = await world.as(session.token).get('/v1/auth/me');
    expect([me.status, me.error.code]).toEqual([401, 'token_expired']);
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: session.refresh_token });
    expect((await world.as(refreshed.data.token).get('/v1/auth/me')).status).toBe(200);
  });

  it('An SSO session lasts as long as every other: 15 minutes, and 7 days, "afterwards login is required again"', async () => {
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

describe('A session opened by an API key', () => {
  it('A session opened by a key is bound to the key’s workspace, also after a refresh', async () => {
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

  it('A session opened by a key is never widened by a refresh, not even when its member’s channels change', async () => {
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

  it('A session opened by a key opens sockets within its scope', async () => {
    const other = await world.channel(desk);
    const session = await sessionBySso(world, key, agent.email, [other.id]);
    const socket = await world.agentSocket(world.agentOf(session, agent.email));
    await world.conversation(await world.visitor(desk), 'not for you');
    const theirs = await world.conversation(await world.visitor({ widgetToken: other.widget_token }), 'for you');
    const frame = await socket.next('message.created');
    expect(frame.conversation_id).toBe(theirs.id);
    expect(socket.frames.filter(({ type }) => type === 'message.created')).toHaveLength(1);
    socket.ws.close();
  });

  it('A session opened by a key outlives it, unless the key is revoked with `end_sessions`', async () => {
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

  it('A session opened by a key ends when its member is deactivated', async () => {
    const session = await sessionBySso(world, key, agent.email);
    await desk.owner.api.post(`/v1/workspace/members/${agent.memberId}/deactivate`);
    const dead = await world.as(session.token).get('/v1/auth/me');
    expect([dead.status, dead.error.code]).toEqual([401, 'token_revoked']);
  });

  it('Single sign-on is the only way into a membership that no accepted invite has opened to a password', async () => {
    const elsewhere = await world.desk();
    const theirs = await world.apiKey(elsewhere);
    const body = { email: agent.email, name: 'Adam' };
    expect((await theirs.post('/v1/workspace/members', body)).status).toBe(201);
    const login = { email: agent.email, password: PASSWORD, workspace_id: elsewhere.workspaceId };
    expect((await world.anyone.post('/v1/auth/login', login)).status).toBe(404);
    expect((await sessionBySso(world, theirs, agent.email)).workspace.id).toBe(elsewhere.workspaceId);
  });
});

describe('Exchanging a ticket is atomic', () => {
  it('A ticket stays valid when its session cannot be stored', async () => {
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

  it('An exchange whose connection is cut is retried: it makes one session and invalidates the ticket', async () => {
    const ticket = await ticketFor(key, agent.email);
    const [user] = await world.app.database.query<{ user_id: string }>('SELECT user_id FROM member WHERE id = $1', [
      agent.memberId,
    ]);
    const lock = await lockRow(world.app.database, 'user_account', user?.user_id ?? '');
    const exchanged = exchange(world, ticket);
    await lock.awaited();
    const cut = await world.app.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO "session"%'`,
    );
    await lock.commit();
    expect(cut).toHaveLength(1);
    expect((await exchanged).status).toBe(200);
    await expectRefused(await exchange(world, ticket), 2);
  });
});

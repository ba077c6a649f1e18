import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { lockRowByUpdate } from '../support/blocking-transaction.js';
import type { Answer, Caller } from '../support/http.js';
import { accept, invited, logged, someEmail, tokenIn } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { countsOf, race } from '../support/race.js';
import { ticketFor, exchange } from '../support/sso.js';
import { PASSWORD, unique, World } from '../support/world.js';

const DAY = 24 * 3600;
const OTHER_PASSWORD = 'a different horse, a new battery';

let key: Caller;
beforeEach(async () => {
  key = await world.apiKey(desk);
});

function login(email: string, password = PASSWORD, body: Record<string, unknown> = {}) {
  return world.anyone.post('/v1/auth/login', { email, password, ...body });
}

function createMember(body: Record<string, unknown>, by = key) {
  return by.post('/v1/workspace/members', { name: 'Adam', ...body });
}

const setStatus = (id: string, action: 'deactivate' | 'reactivate', by = owner) =>
  by.post(`/v1/workspace/members/${id}/${action}`);
const member = async (id: string): Promise<Json> => (await owner.get(`/v1/workspace/members/${id}`)).data;

async function memberOf(email: string, by = owner): Promise<Json> {
  const members = (await by.get('/v1/workspace/members?limit=200')).data.items as Json[];
  return members.find(item => item.email === email);
}

function expectInvalid(answer: Answer<Json>): void {
  expect([answer.status, answer.error?.code]).toEqual([401, 'invite_invalid']);
}

function refusals(): Promise<string[]> {
  return eventually(async () => {
    const events = await logged(world, desk.workspaceId, 'session.refused');
    return events.length > 0 ? events.map(({ payload }) => `${payload.method} ${payload.reason}`) : undefined;
  });
}

/** Sets a password through the reset mail, as only the owner of the mailbox can. */
async function resetPassword(email: string, password: string): Promise<void> {
  await world.anyone.post('/v1/auth/password/forgot', { email });
  const mail = await eventually(() => world.app.mails.find(({ to }) => to === email));
  const token = /#reset=(\S+)/.exec(mail.text)?.[1];
  const reset = await world.anyone.post('/v1/auth/password/reset', { reset_token: token, password });
  expect(reset.status).toBe(200);
}

/** The token in the last invite link that was mailed to this address. */
async function mailedToken(email: string): Promise<string> {
  const mails = () => world.app.mails.filter(({ to, text }) => to === email && text.includes('#invite='));
  const mail = await eventually(() => mails().at(-1));
  return tokenIn(/\S+#invite=\S+/.exec(mail.text)?.[0] ?? '');
}

/** Runs the work against another instance on the same database, with these variables. */
async function withInstance(env: Record<string, string>, work: (other: World) => Promise<void>): Promise<void> {
  const other = await World.start(env, { database: world.app.database });
  try {
    await work(other);
  } finally {
    await other.stop();
  }
}

describe('Accepting an invite', () => {
  it('A new user who accepts an invite becomes a member with what the invite grants, and is logged in', async () => {
    const invite = await invited(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const session = await accept(world, invite.token, { name: 'Nora New' });
    expect(session.status).toBe(201);
    expect(session.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      workspace: { id: desk.workspaceId },
      member: { name: 'Nora New', email: invite.email, role: 'admin', status: 'active', channel_ids: [desk.channelId] },
      scope: { type: 'channels', channel_ids: [desk.channelId] },
    });
    const me = await world.as(session.data.token).get('/v1/auth/me');
    expect([me.data.member.id, me.data.workspaces]).toEqual([
      session.data.member.id,
      [{ id: desk.workspaceId, name: session.data.workspace.name, role: 'admin' }],
    ]);
    expect((await login(invite.email)).data.member.id).toBe(session.data.member.id);
  });

  it('An accepted invite shows its status and the time of the acceptance', async () => {
    const invite = await invited(desk);
    await accept(world, invite.token);
    const [listed] = (await owner.get('/v1/workspace/invites?status=accepted')).data.items as Json[];
    expect(listed).toMatchObject({ id: invite.id, status: 'accepted', accepted_at: expect.any(String) });
  });

  it('A known user accepts an invite with the existing password, and is then in two workspaces', async () => {
    const other = await world.desk();
    const invite = await invited(desk, { email: other.owner.email });
    const session = await accept(world, invite.token, { name: 'Olivia Elsewhere' });
    expect(session.status).toBe(201);
    expect(session.data.member).toMatchObject({ name: 'Olivia Elsewhere', role: 'agent' });
    const both = (await login(other.owner.email)).data.workspaces as Json[];
    expect(both.map(({ id }) => id as string)).toEqual([other.workspaceId, desk.workspaceId]);
    const users = await world.app.database.query('SELECT 1 FROM user_account WHERE email = $1', [other.owner.email]);
    expect(users).toHaveLength(1);
  });

  it('A known user cannot accept an invite with another password (401); link and password stay as they were', async () => {
    const other = await world.desk();
    const invite = await invited(desk, { email: other.owner.email });
    const refused = await accept(world, invite.token, { password: OTHER_PASSWORD });
    expect([refused.status, refused.error.code]).toEqual([401, 'invalid_credentials']);
    expect(await refusals()).toEqual(['invite invalid_credentials']);
    expect((await login(other.owner.email, OTHER_PASSWORD)).status).toBe(401);
    expect((await accept(world, invite.token)).status).toBe(201);
  });

  it('A user without a password who is a member elsewhere sets one through the mailed link only', async () => {
    const email = someEmail();
    await createMember({ email }, await world.apiKey(await world.desk()));
    const invite = await invited(desk, { email });
    const unproved = await accept(world, invite.token);
    expect([unproved.status, unproved.error.code]).toEqual([422, 'mailbox_unproved']);
    expect((await accept(world, await mailedToken(email))).status).toBe(201);
    expect((await login(email)).data.workspaces).toHaveLength(1);
    expect((await login(email, OTHER_PASSWORD)).status).toBe(401);
  });

  it('A deactivated member who accepts an invite is the same member again, with the invite’s role and channels', async () => {
    const channel = await world.channel(desk);
    const leaver = await world.colleague(desk, { role: 'admin' });
    await setStatus(leaver.memberId, 'deactivate');
    const invite = await invited(desk, { email: leaver.email, channel_ids: [channel.id] });
    expect(await memberOf(leaver.email)).toMatchObject({ status: 'deactivated', role: 'admin' });
    const session = await accept(world, invite.token);
    expect(session.data.member).toMatchObject({
      id: leaver.memberId,
      status: 'active',
      role: 'agent',
      channel_ids: [channel.id],
    });
    expect((await leaver.api.get('/v1/auth/me')).error.code).toBe('token_revoked');
    expect((await login(leaver.email)).data.member.id).toBe(leaver.memberId);
  });

  it('An acceptance with `rotate` opens a session with rotating refresh tokens', async () => {
    const invite = await invited(desk);
    const session = await accept(world, invite.token, { rotate: true });
    const next = await world.anyone.post('/v1/auth/refresh', { refresh_token: session.data.refresh_token });
    expect(next.data.refresh_token).not.toBe(session.data.refresh_token);
  });

  it('An acceptance ignores the Authorization header, whether it is another user’s, a key’s or invalid', async () => {
    const stranger = (await world.desk()).owner;
    for (const Authorization of [`Bearer ${stranger.token}`, 'Bearer nonsense', `Bearer ${key.token}`]) {
      const invite = await invited(desk);
      const body = { invite_token: invite.token, name: 'Gina', password: PASSWORD };
      const session = await world.anyone.post('/v1/auth/register-user', body, { Authorization });
      expect([session.status, session.data.member?.email]).toEqual([201, invite.email]);
    }
    const me = await stranger.api.get('/v1/auth/me');
    expect(me.data.workspaces).toHaveLength(1);
  });

  it('An invite can be accepted while open registration is off', async () => {
    await withInstance({ ALLOW_REGISTRATION: 'off' }, async closed => {
      expect((await accept(closed, (await invited(desk)).token)).status).toBe(201);
    });
  });

  it('An invite is accepted once: a repeated Idempotency-Key replays nothing (401)', async () => {
    const invite = await invited(desk);
    const body = { invite_token: invite.token, name: 'Gina', password: PASSWORD };
    const headers = { 'Idempotency-Key': unique('idem') };
    expect((await world.anyone.post('/v1/auth/register-user', body, headers)).status).toBe(201);
    expectInvalid(await world.anyone.post('/v1/auth/register-user', body, headers));
  });

  it('An acceptance sends member.created to the inbox', async () => {
    const socket = await world.agentSocket(desk.owner);
    const invite = await invited(desk);
    const session = await accept(world, invite.token);
    const frame = await socket.next('member.created');
    expect(frame.data).toMatchObject({ id: session.data.member.id, email: invite.email });
    await socket.close();
  });

  it('An acceptance with an invalid password or missing fields is refused (400), with all fields listed', async () => {
    const invite = await invited(desk);
    for (const password of ['short', 'x'.repeat(73), '1234567890', 'abcdefg\u0000hijk']) {
      const answer = await accept(world, invite.token, { password });
      expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'password' }] } });
    }
    const nothing = await world.anyone.post('/v1/auth/register-user', {});
    expect(nothing.error.details?.map(({ field }) => field).sort()).toEqual(['invite_token', 'name', 'password']);
    expect((await accept(world, invite.token)).status).toBe(201);
  });

  it('An acceptance records that a session was started by invite', async () => {
    const invite = await invited(desk);
    const session = await accept(world, invite.token);
    const events = await logged(world, desk.workspaceId, 'member.created', 'invite.accepted', 'session.started');
    const last = events.slice(-3);
    expect(last.map(({ type }) => type as string)).toEqual(['member.created', 'invite.accepted', 'session.started']);
    const itself = { type: 'member', id: session.data.member.id };
    expect(last.map(({ actor }) => actor as unknown)).toEqual([itself, itself, itself]);
    expect(last[2]?.payload).toMatchObject({ method: 'invite', member_id: session.data.member.id });
  });
});

describe('A link that is used, revoked, expired or unknown', () => {
  it('A used, revoked, expired or unknown link is the same 401 invite_invalid each time, and creates no user', async () => {
    const [spent, gone, old] = [await invited(desk), await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await owner.delete(`/v1/workspace/invites/${gone.id}`);
    world.app.clock.advance(7 * DAY + 1);
    const answers: unknown[][] = [];
    for (const token of [spent.token, gone.token, old.token, `inv_${'x'.repeat(43)}`, 'x']) {
      const { status, error, headers } = await accept(world, token);
      answers.push([status, error, headers['www-authenticate']]);
    }
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]?.slice(0, 2)).toMatchObject([401, { code: 'invite_invalid' }]);
    for (const { email } of [gone, old]) {
      expect(await world.app.database.query('SELECT 1 FROM user_account WHERE email = $1', [email])).toEqual([]);
    }
  });

  it('The refusal of a known link is recorded with its reason', async () => {
    const [spent, gone, old] = [await invited(desk), await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await owner.delete(`/v1/workspace/invites/${gone.id}`);
    expectInvalid(await accept(world, spent.token));
    expectInvalid(await accept(world, gone.token));
    world.app.clock.advance(7 * DAY + 1);
    expectInvalid(await accept(world, old.token));
    const reasons = await eventually(async () => {
      const all = await refusals();
      return all.length === 3 ? all : undefined;
    });
    expect(reasons.sort()).toEqual(['invite invite_accepted', 'invite invite_expired', 'invite invite_revoked']);
  });

  it('A link is valid until the last second', async () => {
    const [last, late] = [await invited(desk), await invited(desk)];
    world.app.clock.advance(7 * DAY - 5);
    expect((await accept(world, last.token)).status).toBe(201);
    world.app.clock.advance(6);
    expectInvalid(await accept(world, late.token));
  });
});

describe('Racing acceptances of one link', () => {
  const SEED = 20_261_121;

  /** Seeded random numbers, so that a failure can be repeated. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  const GUESTS: Record<string, (n: number) => Promise<string>> = {
    stranger: () => Promise.resolve(someEmail()),
    user: async () => (await world.desk()).owner.email,
    passwordless: async () => {
      const email = someEmail();
      await createMember({ email });
      return email;
    },
    deactivated: async () => {
      const gone = await world.colleague(desk);
      await setStatus(gone.memberId, 'deactivate');
      return gone.email;
    },
  };

  let otherInstance: World;
  beforeAll(async () => {
    otherInstance = await World.start({}, { database: world.app.database });
  });
  afterAll(() => otherInstance.stop());

  it('Six acceptances that race on two instances make one member and one session, in 50 seeded rounds', async () => {
    const next = random(SEED);
    const kinds = Object.keys(GUESTS);
    for (let round = 0; round < 50; round += 1) {
      const kind = kinds[Math.floor(next() * kinds.length)] ?? 'stranger';
      const where = `seed ${SEED}, round ${round}, ${kind}`;
      const email = (await GUESTS[kind]?.(round)) ?? '';
      const invite = await invited(desk, { email });
      const delays = Array.from({ length: 6 }, () => next() * 8);
      const answers = await race(6, async n => {
        await new Promise(resolve => setTimeout(resolve, delays[n]));
        return accept(n % 2 === 0 ? world : otherInstance, invite.token);
      });
      expect([where, countsOf(answers.map(({ status }) => status))]).toEqual([where, { 201: 1, 401: 5 }]);
      const codes = answers.filter(({ status }) => status === 401).map(({ error }) => error.code);
      expect([where, countsOf(codes)]).toEqual([where, { invite_invalid: 5 }]);
      const memberId: string = answers.find(({ status }) => status === 201)?.data.member.id;
      const counted = await world.app.database.query(
        `SELECT (SELECT count(*)::int FROM user_account WHERE email = $2) AS users,
                (SELECT count(*)::int FROM member JOIN user_account ON user_account.id = user_id
                 WHERE workspace_id = $1 AND email = $2 AND status = 'active' AND claimed) AS members,
                (SELECT count(*)::int FROM event WHERE workspace_id = $1 AND type = 'session.started'
                 AND payload->>'method' = 'invite' AND payload->>'member_id' = $3) AS sessions,
                (SELECT count(*)::int FROM event WHERE workspace_id = $1 AND type = 'invite.accepted'
                 AND payload->>'id' = $4) AS accepted`,
        [desk.workspaceId, email, memberId, invite.id],
      );
      expect([where, counted]).toEqual([where, [{ users: 1, members: 1, sessions: 1, accepted: 1 }]]);
    }
  }, 300_000);

  it('Two workspaces that invite one new e-mail get the same user from racing acceptances', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = someEmail();
      const other = await world.desk();
      const [here, there] = [await invited(desk, { email }), await invited(other, { email })];
      const answers = await Promise.all([accept(world, here.token), accept(world, there.token)]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect((await login(email)).data.workspaces).toHaveLength(2);
    }
  });

  it('Of two racing acceptances that set different passwords of one user, the second is refused (401)', async () => {
    const email = someEmail();
    const other = await world.desk();
    await createMember({ email });
    const [here, there] = [await invited(desk, { email }), await invited(other, { email })];
    await accept(world, there.token);
    const mailed = await mailedToken(email);
    const answers = await Promise.all([accept(world, here.token), accept(world, mailed, { password: OTHER_PASSWORD })]);
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 401: 1 });
    expect(answers.find(({ status }) => status === 401)?.error.code).toBe('invalid_credentials');
    const [first, second] = answers[0]?.status === 201 ? [PASSWORD, OTHER_PASSWORD] : [OTHER_PASSWORD, PASSWORD];
    expect((await login(email, first)).data.workspaces).toHaveLength(1);
    expect((await login(email, second)).status).toBe(401);
  });
});

describe('A member created by a key', () => {
  it('A member created for a known user must accept an invite before that user’s password opens the membership', async () => {
    const other = await world.desk();
    const { email } = other.owner;
    const created = await createMember({ email, role: 'admin', password: OTHER_PASSWORD });
    const here = { workspace_id: desk.workspaceId };
    expect((await login(email, PASSWORD, here)).status).toBe(404);
    expect((await login(email, OTHER_PASSWORD, here)).status).toBe(401);
    const invite = await invited(desk, { email });
    expectCredentials(await accept(world, invite.token, { password: OTHER_PASSWORD }));
    const session = await accept(world, invite.token);
    expect([session.status, session.data.member.id]).toEqual([201, created.data.id]);
    expect((await login(email, PASSWORD, here)).data.member.id).toBe(created.data.id);
  });

  function expectCredentials(answer: Answer<Json>): void {
    expect([answer.status, answer.error?.code]).toEqual([401, 'invalid_credentials']);
  }

  it('An accepted invite without role and channels keeps those of the member', async () => {
    const email = someEmail();
    const created = await createMember({ email, role: 'admin', channel_ids: [desk.channelId] });
    const invite = await invited(desk, { email });
    expect([invite.role, invite.channel_ids]).toEqual(['admin', [desk.channelId]]);
    const session = await accept(world, invite.token);
    expect(session.data.member).toMatchObject({
      id: created.data.id,
      role: 'admin',
      channel_ids: [desk.channelId],
      status: 'active',
    });
  });

  it('An accepted invite sets the member’s role and channels, and unassigns conversations outside of them', async () => {
    const [email, channel] = [someEmail(), await world.channel(desk)];
    const created = await createMember({ email, role: 'admin' });
    const conversation = await world.conversation(await world.visitor(desk));
    const assign = { member_id: created.data.id };
    expect((await owner.post(`/v1/conversations/${conversation.id}/assign`, assign)).status).toBe(200);
    const invite = await invited(desk, { email, role: 'agent', channel_ids: [channel.id] });
    const session = await accept(world, invite.token);
    expect(session.data.member).toMatchObject({ role: 'agent', channel_ids: [channel.id] });
    expect((await owner.get(`/v1/conversations/${conversation.id}`)).data.assignee_id).toBeNull();
  });

  it('A member created by a key cannot be invited after accepting an invite (409 member_exists)', async () => {
    const email = someEmail();
    await createMember({ email });
    const invite = await invited(desk, { email });
    await accept(world, invite.token);
    const again = await owner.post('/v1/workspace/invites', { email });
    expect([again.status, again.error.code]).toEqual([409, 'member_exists']);
  });

  it('An invite is refused with 409 member_exists when its invitee has become a member with a password', async () => {
    const invite = await invited(desk);
    await createMember({ email: invite.email, password: PASSWORD });
    const answer = await accept(world, invite.token);
    expect([answer.status, answer.error.code]).toEqual([409, 'member_exists']);
  });

  it('A member created by a key can still use single sign-on after accepting an invite', async () => {
    const email = someEmail();
    await createMember({ email });
    const ticket = await ticketFor(key, email);
    const invite = await invited(desk, { email });
    await accept(world, invite.token);
    expect((await exchange(world, ticket)).status).toBe(200);
  });

  it('An inviter cannot invite a member whose role is higher than its own (403 role_too_high)', async () => {
    const email = someEmail();
    const created = await createMember({ email });
    await owner.patch(`/v1/workspace/members/${created.data.id}`, { role: 'owner' });
    const admin = await world.colleague(desk, { role: 'admin' });
    for (const by of [admin.api, key]) {
      const answer = await by.post('/v1/workspace/invites', { email });
      expect([answer.status, answer.error.code]).toEqual([403, 'role_too_high']);
    }
    const invite = await invited(desk, { email });
    expect((await accept(world, invite.token)).data.member.role).toBe('owner');
  });

  it('An invite link becomes invalid when its invitee gets a higher role than the inviter', async () => {
    const email = someEmail();
    const created = await createMember({ email });
    const invite = await invited(desk, { email }, key);
    await owner.patch(`/v1/workspace/members/${created.data.id}`, { role: 'owner' });
    expectInvalid(await accept(world, invite.token));
    expect(await member(created.data.id)).toMatchObject({ role: 'owner' });
  });

  it('An owner who has accepted no invite does not count as the last owner with a password (409 last_owner)', async () => {
    const email = someEmail();
    const created = await createMember({ email });
    const mine = `/v1/workspace/members/${desk.owner.memberId}`;
    await owner.patch(`/v1/workspace/members/${created.data.id}`, { role: 'owner' });
    for (const answer of [
      await owner.patch(mine, { role: 'admin' }),
      await setStatus(desk.owner.memberId, 'deactivate'),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([409, 'last_owner']);
    }
    const invite = await invited(desk, { email });
    expect((await accept(world, invite.token)).data.member.role).toBe('owner');
    expect((await owner.patch(mine, { role: 'admin' })).status).toBe(200);
  });
});

describe('A link whose inviter has lost the right to invite', () => {
  async function adminsInvite(body: Record<string, unknown> = {}) {
    const admin = await world.colleague(desk, { role: 'admin' });
    return { admin, invite: await invited(desk, body, admin.api) };
  }

  async function expectInviteInvalid(invite: Json): Promise<void> {
    expectInvalid(await world.anyone.post('/v1/auth/invite-preview', { invite_token: invite.token }));
    expectInvalid(await accept(world, invite.token as string));
    expect(await refusals()).toContain('invite inviter_lost_right');
    expect(await memberOf(invite.email as string)).toBeUndefined();
  }

  it('A link is invalid after its inviter was demoted', async () => {
    const { admin, invite } = await adminsInvite({ role: 'admin' });
    await owner.patch(`/v1/workspace/members/${admin.memberId}`, { role: 'agent' });
    await expectInviteInvalid(invite);
  });

  it('A link is invalid after its inviter was demoted below the role that it grants', async () => {
    const second = await world.colleague(desk, { role: 'admin' });
    await owner.patch(`/v1/workspace/members/${second.memberId}`, { role: 'owner' });
    const invite = await invited(desk, { role: 'owner' }, second.api);
    const lower = await invited(desk, { role: 'admin' }, second.api);
    await owner.patch(`/v1/workspace/members/${second.memberId}`, { role: 'admin' });
    await expectInviteInvalid(invite);
    expect((await accept(world, lower.token)).status).toBe(201);
  });

  it('A link is invalid after its inviter was deactivated', async () => {
    const { admin, invite } = await adminsInvite();
    await setStatus(admin.memberId, 'deactivate');
    await expectInviteInvalid(invite);
  });

  it('A link is invalid after its inviter was limited to some channels', async () => {
    const { admin, invite } = await adminsInvite();
    await owner.patch(`/v1/workspace/members/${admin.memberId}`, { channel_ids: [desk.channelId] });
    await expectInviteInvalid(invite);
  });

  it('A link is invalid after the API key that made it was revoked', async () => {
    const created = await owner.post('/v1/api-keys', { name: 'leaked' });
    const invite = await invited(desk, { role: 'admin' }, world.as(created.data.key));
    await owner.delete(`/v1/api-keys/${created.data.id}`);
    await expectInviteInvalid(invite);
  });

  it('A link is invalid after the API key that made it has expired', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const invite = await invited(desk, {}, await world.apiKey(desk, { expires_at }));
    world.app.clock.advance(3601);
    expectInvalid(await accept(world, invite.token));
  });

  it.each([
    ['is revoked', 'revoked_at = clock_timestamp()'],
    ['expires', `expires_at = '2026-01-01'`],
  ])('A link is invalid when the API key that made it %s during the acceptance', async (_case, change) => {
    const created = await owner.post('/v1/api-keys', { name: 'leaked' });
    const invite = await invited(desk, {}, world.as(created.data.key));
    const ending = await lockRowByUpdate(world.app.database, 'api_key', created.data.id, change);
    const accepting = accept(world, invite.token);
    await ending.awaited();
    await ending.commit();
    expectInvalid(await accepting);
  });

  it('An invalidated invite is valid again after an authorised member resends it', async () => {
    const { admin, invite } = await adminsInvite();
    await setStatus(admin.memberId, 'deactivate');
    const again = await owner.post(`/v1/workspace/invites/${invite.id}/resend`);
    expect(again.data.invited_by).toBe(desk.owner.memberId);
    expect((await accept(world, tokenIn(again.data.accept_url))).status).toBe(201);
  });

  it('A link is invalid when its inviter is demoted during the acceptance', async () => {
    const { admin, invite } = await adminsInvite({ role: 'admin' });
    const demotion = await lockRowByUpdate(world.app.database, 'member', admin.memberId, `role = 'agent'`);
    const accepting = accept(world, invite.token);
    await demotion.awaited();
    await demotion.commit();
    expectInvalid(await accepting);
  });
});

describe('Attacks on invites', () => {
  it('An attacker who registers an invitee’s e-mail first gets no membership; a password reset returns the account', async () => {
    const email = someEmail();
    const body = { workspace_name: unique('Trap'), name: 'Mallory', email, password: OTHER_PASSWORD };
    const trap = await world.anyone.post('/v1/auth/register', body);
    const invite = await invited(desk, { email, role: 'admin' });
    // the attacker has the password, but not the link
    const mallory = await login(email, OTHER_PASSWORD);
    expect(mallory.data.workspaces).toHaveLength(1);
    expect((await login(email, OTHER_PASSWORD, { workspace_id: desk.workspaceId })).status).toBe(404);
    const target = { workspace_id: desk.workspaceId };
    expect((await world.as(mallory.data.token).post('/v1/auth/agent-token', target)).status).toBe(404);
    // the real person has the link, but not the password
    const refused = await accept(world, invite.token);
    expect([refused.status, refused.error.code]).toEqual([401, 'invalid_credentials']);
    // the real person also has the mailbox: resetting the password ends the attacker's sessions
    await resetPassword(email, PASSWORD);
    for (const { data } of [trap, mallory]) {
      expect((await world.as(data.token).get('/v1/auth/me')).error.code).toBe('token_revoked');
      const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: data.refresh_token });
      expect(refreshed.error.code).toBe('token_revoked');
    }
    const session = await accept(world, invite.token);
    expect([session.status, session.data.member.role]).toEqual([201, 'admin']);
    expect((await login(email, OTHER_PASSWORD)).status).toBe(401);
    expect((await world.as(mallory.data.token).post('/v1/auth/agent-token', target)).status).toBe(401);
  });

  it('A key that creates a member with an invitee’s e-mail gets no access to the inviting workspace', async () => {
    const evil = await world.desk();
    const evilKey = await world.apiKey(evil);
    const email = someEmail();
    await createMember({ email, password: OTHER_PASSWORD }, evilKey);
    const invite = await invited(desk, { email });
    expect((await accept(world, invite.token)).status).toBe(401);
    const session = await login(email, OTHER_PASSWORD);
    const target = { workspace_id: desk.workspaceId };
    expect((await world.as(session.data.token).post('/v1/auth/agent-token', target)).status).toBe(404);
    await resetPassword(email, PASSWORD);
    expect((await accept(world, invite.token)).status).toBe(201);
    // a session opened by the key stays in the workspace of the key
    const minted = await evilKey.post('/v1/auth/agent-token', { email });
    const leaving = await world.as(minted.data.token).post('/v1/auth/agent-token', target);
    expect([leaving.status, leaving.error.code]).toEqual([403, 'workspace_bound']);
    expect(minted.data.workspace.id).toBe(evil.workspaceId);
  });

  it('An inviter cannot use its own link to set the password of a user who is a member of another workspace', async () => {
    const email = someEmail();
    await createMember({ email, role: 'admin' });
    const evil = await world.desk();
    await createMember({ email }, await world.apiKey(evil));
    const link = await invited(evil, { email });
    const refused = await accept(world, link.token, { password: OTHER_PASSWORD });
    expect([refused.status, refused.error.code]).toEqual([422, 'mailbox_unproved']);
    for (const { workspaceId } of [evil, desk]) {
      expect((await login(email, OTHER_PASSWORD, { workspace_id: workspaceId })).status).toBe(401);
    }
    // the owner of the mailbox accepts both invites, through the mailed links
    expect((await accept(world, await mailedToken(email))).data.workspace.id).toBe(evil.workspaceId);
    const invite = await invited(desk, { email });
    expect((await accept(world, invite.token)).data.member.role).toBe('admin');
    expect((await login(email)).data.workspaces).toHaveLength(2);
  });

  it('An e-mail that looks like another is refused or belongs to another user', async () => {
    const name = unique('paypal');
    const colleague = await world.colleague(desk);
    for (const email of [
      `${name.replace('a', 'а')}@example.com`,
      `${name}\u200b@example.com`,
      `ﬁ${name}@example.com`,
    ]) {
      expect((await owner.post('/v1/workspace/invites', { email })).status).toBe(400);
    }
    const domain = unique('shop');
    const real = await createMember({ email: `${name}@${domain}a.example`, password: PASSWORD });
    const lookAlike = await invited(desk, { email: `${name}@${domain}а.example` });
    expect(lookAlike.email).not.toBe(real.data.email);
    const session = await accept(world, lookAlike.token, { password: OTHER_PASSWORD });
    expect(session.data.member.id).not.toBe(real.data.id);
    expect((await login(real.data.email)).data.member.id).toBe(real.data.id);
    expect((await login(real.data.email, OTHER_PASSWORD)).status).toBe(401);
    expect((await login(colleague.email)).status).toBe(200);
  });

  it('A link opens its own workspace only, whatever the body names', async () => {
    const other = await world.desk();
    const invite = await invited(desk);
    const session = await accept(world, invite.token, {
      workspace_id: other.workspaceId,
      email: other.owner.email,
      role: 'owner',
      channel_ids: [other.channelId],
    });
    expect(session.data.workspace.id).toBe(desk.workspaceId);
    expect(session.data.member).toMatchObject({ email: invite.email, role: 'agent', channel_ids: null });
    expect(await memberOf(invite.email, other.owner.api)).toBeUndefined();
    const before = await other.owner.api.get('/v1/workspace/invites');
    expect(before.data.items).toEqual([]);
  });

  it('A deactivated member cannot come back with an older invite link', async () => {
    const email = someEmail();
    const created = await createMember({ email });
    const invite = await invited(desk, { email });
    await setStatus(created.data.id, 'deactivate');
    expectInvalid(await accept(world, invite.token));
    expect(await member(created.data.id)).toMatchObject({ status: 'deactivated' });
    const [listed] = (await owner.get('/v1/workspace/invites')).data.items as Json[];
    expect([listed?.id, listed?.status]).toEqual([invite.id, 'revoked']);
    const [event] = await logged(world, desk.workspaceId, 'invite.revoked');
    expect(event?.actor).toEqual({ type: 'member', id: desk.owner.memberId });
    await setStatus(created.data.id, 'reactivate');
    expectInvalid(await accept(world, invite.token));
  });

  it('An acceptance that races with the deactivation of its member leaves no valid session', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = someEmail();
      const created = await createMember({ email });
      const invite = await invited(desk, { email });
      const [deactivated, accepted] = await Promise.all([
        setStatus(created.data.id, 'deactivate'),
        accept(world, invite.token),
      ]);
      expect(deactivated.status).toBe(200);
      expect((await member(created.data.id)).status).toBe('deactivated');
      if (accepted.status === 201) {
        expect((await world.as(accepted.data.token).get('/v1/auth/me')).error.code).toBe('token_revoked');
      } else {
        expectInvalid(accepted);
      }
    }
  });

  it('Wrong passwords sent with an invite link count towards the login’s rate limit (429)', async () => {
    const other = await world.desk();
    const invite = await invited(desk, { email: other.owner.email });
    await withInstance({ RATE_LIMITS: 'login=3/900' }, async limited => {
      for (let times = 0; times < 3; times += 1) {
        expect((await accept(limited, invite.token, { password: `${OTHER_PASSWORD} ${times}` })).status).toBe(401);
      }
      expect((await accept(limited, invite.token)).status).toBe(429);
      const body = { email: other.owner.email, password: PASSWORD };
      expect((await limited.anyone.post('/v1/auth/login', body)).status).toBe(429);
    });
  });

  it('An acceptance is refused (401) when the password changes while it is compared', async () => {
    const other = await world.desk();
    const invite = await invited(desk, { email: other.owner.email });
    const [user] = await world.app.database.query<{ id: string }>('SELECT id FROM user_account WHERE email = $1', [
      other.owner.email,
    ]);
    const change = await lockRowByUpdate(
      world.app.database,
      'user_account',
      user?.id ?? '',
      `password_hash = 'another'`,
    );
    const accepting = accept(world, invite.token);
    await change.awaited();
    await change.commit();
    const answer = await accepting;
    expect([answer.status, answer.error.code]).toEqual([401, 'invalid_credentials']);
    expect(await memberOf(other.owner.email)).toBeUndefined();
  });
});

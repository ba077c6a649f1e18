import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { BcryptThread } from '../../src/modules/users/bcrypt-thread.js';
import { eventually } from '../support/eventually.js';
import { lockRow } from '../support/blocking-transaction.js';
import type { Caller } from '../support/http.js';
import { jwt, readJwt } from '../support/tokens.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const DAY = 24 * 3600;
const JWT_SECRET = 'the first secret that these tests sign tokens with';
const NEW_PASSWORD = 'a different horse, a new battery';

/** Tokens in the response of a login or a refresh. */
interface Tokens {
  token: string;
  refresh_token: string;
}

let world: World;
beforeAll(async () => {
  world = await World.start({ JWT_SECRETS: JWT_SECRET });
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

function newEmail(): string {
  return `${unique('person')}@example.com`;
}

function registration(body: Record<string, unknown> = {}): Record<string, unknown> {
  return { workspace_name: unique('Desk'), name: 'Olivia', email: newEmail(), password: PASSWORD, ...body };
}

function login(address: string, body: Record<string, unknown> = {}) {
  return world.anyone.post('/v1/auth/login', { email: address, password: PASSWORD, ...body });
}

function refresh(token: string) {
  return world.anyone.post('/v1/auth/refresh', { refresh_token: token });
}

function me(token: string) {
  return world.as(token).get('/v1/auth/me');
}

async function signIn(address: string, body: Record<string, unknown> = {}): Promise<Agent & Tokens> {
  const session = await login(address, body);
  expect(session.status).toBe(200);
  return { ...world.agentOf(session.data, address), ...(session.data as Tokens) };
}

async function deactivate(memberId: string): Promise<void> {
  await world.app.database.query(`UPDATE member SET status = 'deactivated' WHERE id = $1`, [memberId]);
}

describe('Registration', () => {
  it('A registration creates a workspace with a first channel and signs the caller in as its owner', async () => {
    const body = registration({ workspace_name: 'Bakery', name: 'Bo Baker' });
    const session = await world.anyone.post('/v1/auth/register', body);
    expect(session.status).toBe(201);
    expect(session.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: { type: 'all', channel_ids: null },
    });
    expect(session.data.workspace).toMatchObject({
      name: 'Bakery',
      locale: 'en',
      timezone: 'UTC',
      business_hours: null,
    });
    expect(session.data.member).toMatchObject({ name: 'Bo Baker', email: body.email, role: 'owner', status: 'active' });
    const channels = await world.as(session.data.token).get('/v1/channels');
    expect(channels.data.items).toHaveLength(1);
    expect(channels.data.items[0]).toMatchObject({ type: 'widget', status: 'active' });
  });

  it('A registration with a known e-mail and its password gives that user a second workspace', async () => {
    const first = await world.desk();
    const again = await world.anyone.post('/v1/auth/register', registration({ email: first.owner.email }));
    expect(again.status).toBe(201);
    const session = await login(first.owner.email);
    const ids = session.data.workspaces.map((workspace: { id: string }) => workspace.id);
    expect(ids).toEqual([first.workspaceId, again.data.workspace.id]);
  });

  it('A registration with a known e-mail and another password is refused and creates nothing (409)', async () => {
    const { owner } = await world.desk();
    const name = unique('Never');
    const body = registration({ email: owner.email, password: NEW_PASSWORD, workspace_name: name });
    expect(await world.anyone.post('/v1/auth/register', body)).toMatchObject({
      status: 409,
      error: { code: 'email_taken' },
    });
    expect(await world.app.database.query('SELECT 1 FROM workspace WHERE name = $1', [name])).toEqual([]);
  });

  it('Concurrent registrations with one e-mail create one user', async () => {
    const address = newEmail();
    const answers = await race(6, () => world.anyone.post('/v1/auth/register', registration({ email: address })));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const users = await world.app.database.query('SELECT 1 FROM user_account WHERE email = $1', [address]);
    expect(users).toHaveLength(1);
    const made = answers.filter(({ status }) => status === 201).length;
    expect((await login(address)).data.workspaces).toHaveLength(made);
  });

  it('A registration with several invalid fields is refused with all of them named', async () => {
    const answer = await world.anyone.post('/v1/auth/register', { email: 'nobody', password: 'short', name: null });
    expect(answer).toMatchObject({ status: 400, error: { code: 'validation_failed' } });
    expect(answer.error.details?.map(({ field }) => field).sort()).toEqual([
      'email',
      'name',
      'password',
      'workspace_name',
    ]);
  });

  it('A registration is refused where ALLOW_REGISTRATION is off (403)', async () => {
    const closed = await World.start({ ALLOW_REGISTRATION: 'off' }, { database: world.app.database });
    const answer = await closed.anyone.post('/v1/auth/register', registration());
    expect(answer).toMatchObject({ status: 403, error: { code: 'registration_disabled' } });
    await closed.stop();
  });
});

describe('Passwords', () => {
  const registered = async (password: string) =>
    (await world.anyone.post('/v1/auth/register', registration({ password }))).status === 201;

  it.each([
    ['9 bytes', 'abcdefg-9', false],
    ['10 bytes', 'abcdefg-10', true],
    ['10 bytes in 5 characters', 'éééñß', true],
    ['9 bytes that decomposed are 12', 'e\u0301e\u0301e\u0301abc', false],
    ['72 bytes', 'ab'.repeat(36), true],
    ['73 bytes', `${'ab'.repeat(36)}c`, false],
    ['73 bytes in 25 characters', `${'€'.repeat(24)}x`, false],
    ['72 bytes in 24 characters', '€'.repeat(24), true],
    ['U+0000', 'abcdefg\u0000hijk', false],
    ['one of the most common', '1234567890', false],
    ['one of the most common, in upper case', 'QWERTYUIOP', false],
  ])('A password is 10 to 72 bytes and none of the most common ones: %s', async (_case, password, accepted) => {
    expect(await registered(password)).toBe(accepted);
  });

  it('A password is accepted in composed and in decomposed Unicode form', async () => {
    const address = newEmail();
    await world.anyone.post(
      '/v1/auth/register',
      registration({ email: address, password: 'cafe\u0301 cafe\u0301 cafe\u0301' }),
    );
    expect((await login(address, { password: 'caf\u00e9 caf\u00e9 caf\u00e9' })).status).toBe(200);
  });

  it('A password of 72 bytes does not sign in with further characters appended', async () => {
    const address = newEmail();
    const longest = 'ab'.repeat(36);
    await world.anyone.post('/v1/auth/register', registration({ email: address, password: longest }));
    expect((await login(address, { password: longest })).status).toBe(200);
    expect((await login(address, { password: `${longest}c` })).status).toBe(401);
  });

  it('A password is stored as a bcrypt hash', async () => {
    const { owner } = await world.desk();
    const [user] = await world.app.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM user_account WHERE email = $1',
      [owner.email],
    );
    expect(user?.password_hash).toMatch(/^\$2[ab]\$\d\d\$/);
  });
});

describe('E-mail addresses', () => {
  it('An e-mail address is trimmed and lower-cased, so each person is one user', async () => {
    const name = unique('Person');
    const session = await world.anyone.post('/v1/auth/register', registration({ email: ` ${name}@EXAMPLE.com ` }));
    expect(session.data.member.email).toBe(`${name.toLowerCase()}@example.com`);
    expect((await login(`${name.toUpperCase()}@example.COM`)).status).toBe(200);
    const again = await world.anyone.post(
      '/v1/auth/register',
      registration({ email: name + '@Example.Com', password: NEW_PASSWORD }),
    );
    expect(again.error.code).toBe('email_taken');
  });

  it.each([
    'josé@example.com',
    'оlivia@example.com',
    'nobody',
    '@example.com',
    'a@b',
    'a b@example.com',
    'a..b@example.com',
  ])('A registration refuses an invalid e-mail address or one with a non-ASCII local part: %s', async address => {
    const answer = await world.anyone.post('/v1/auth/register', registration({ email: address }));
    expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'email' }] } });
  });
});

describe('Signing in', () => {
  it('A login returns a session and the workspaces that the user can enter', async () => {
    const desk = await world.desk();
    const session = await login(desk.owner.email);
    expect(session.status).toBe(200);
    expect(session.data).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: { type: 'all', channel_ids: null },
    });
    expect(session.data.member.id).toBe(desk.owner.memberId);
    expect(session.data.workspaces).toEqual([
      { id: desk.workspaceId, name: session.data.workspace.name, role: 'owner' },
    ]);
    expect((await me(session.data.token)).data.member.email).toBe(desk.owner.email);
  });

  it('A login returns the channels of the member as its scope', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk, { channel_ids: [desk.channelId] });
    const session = await login(agent.email);
    expect(session.data.scope).toEqual({ type: 'channels', channel_ids: [desk.channelId] });
  });

  it('A login answers a wrong password and an unknown e-mail alike (401)', async () => {
    const { owner } = await world.desk();
    const wrong = await login(owner.email, { password: NEW_PASSWORD });
    const unknown = await login(newEmail());
    expect(wrong).toMatchObject({ status: 401, error: { code: 'invalid_credentials' } });
    expect([unknown.status, unknown.error]).toEqual([wrong.status, wrong.error]);
    expect(wrong.headers['www-authenticate']).toBe('Bearer');
  });

  it('A login enters the requested workspace, and gets 404 for a workspace of others', async () => {
    const [desk, foreign] = [await world.desk(), await world.desk()];
    const second = await world.anyone.post('/v1/auth/register', registration({ email: desk.owner.email }));
    const workspaceId: string = second.data.workspace.id;
    expect((await login(desk.owner.email, { workspace_id: workspaceId })).data.workspace.id).toBe(workspaceId);
    const refused = await login(desk.owner.email, { workspace_id: foreign.workspaceId });
    expect(refused).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect((await login(desk.owner.email, { workspace_id: 'x' })).status).toBe(400);
  });

  it('A login opens only the memberships that its password has claimed', async () => {
    const [desk, other] = [await world.desk(), await world.desk()];
    const key = await world.apiKey(other);
    const body = { email: desk.owner.email, name: 'Olivia', role: 'admin', password: NEW_PASSWORD };
    expect((await key.post('/v1/workspace/members', body)).status).toBe(201);
    const session = await login(desk.owner.email);
    expect(session.data.workspaces).toHaveLength(1);
    expect((await me(session.data.token)).data.workspaces).toHaveLength(1);
    expect((await login(desk.owner.email, { workspace_id: other.workspaceId })).status).toBe(404);
    expect((await login(desk.owner.email, { password: NEW_PASSWORD })).error.code).toBe('invalid_credentials');
  });

  it('A member created by a key without a password cannot log in', async () => {
    const key = await world.apiKey(await world.desk());
    const address = newEmail();
    await key.post('/v1/workspace/members', { email: address, name: 'Adam' });
    expect((await login(address)).error.code).toBe('invalid_credentials');
  });

  it('A deactivated member gets 403 member_deactivated with the right password only', async () => {
    const { owner } = await world.desk();
    await deactivate(owner.memberId);
    expect((await login(owner.email, { password: NEW_PASSWORD })).error.code).toBe('invalid_credentials');
    expect(await login(owner.email)).toMatchObject({ status: 403, error: { code: 'member_deactivated' } });
  });

  it('A login skips the workspace in which the member is deactivated', async () => {
    const desk = await world.desk();
    const second = await world.anyone.post('/v1/auth/register', registration({ email: desk.owner.email }));
    await deactivate(desk.owner.memberId);
    const session = await login(desk.owner.email);
    expect(session.data.workspace.id).toBe(second.data.workspace.id);
    expect(session.data.workspaces).toHaveLength(1);
    expect(await login(desk.owner.email, { workspace_id: desk.workspaceId })).toMatchObject({ status: 403 });
  });
});

describe('Signing in with slow password hashes', () => {
  let slow: World;
  beforeAll(async () => {
    slow = await World.start({ BCRYPT_COST: '10', JWT_SECRETS: JWT_SECRET }, { database: world.app.database });
  });
  afterAll(() => slow.stop());

  const tryLogin = (address: string) => slow.anyone.post('/v1/auth/login', { email: address, password: NEW_PASSWORD });

  it('A login with an unknown e-mail costs one comparison, as expensive as that of a wrong password', async () => {
    const address = newEmail();
    await slow.anyone.post('/v1/auth/register', registration({ email: address }));
    const compare = jest.spyOn(BcryptThread.prototype, 'compare');
    const costsOf = async (account: string) => {
      compare.mockClear();
      expect((await tryLogin(account)).error.code).toBe('invalid_credentials');
      return compare.mock.calls.map(([, hash]) => hash.split('$')[2]);
    };
    expect([await costsOf(address), await costsOf(newEmail())]).toEqual([['10'], ['10']]);
    compare.mockRestore();
  });

  it('A flood of logins gets 429 with Retry-After, and other requests are still served', async () => {
    const { owner } = await world.desk();
    const storm = race(70, () => tryLogin(newEmail()));
    const calm = await slow.as(owner.token).get('/v1/workspace');
    expect(calm.status).toBe(200);
    const answers = await storm;
    expect(Object.keys(countsOf(answers.map(({ status }) => status)))).toEqual(['401', '429']);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect([answer.error.code, answer.headers['retry-after']]).toEqual(['rate_limited', '5']);
    }
  }, 120_000);
});

describe('Access tokens', () => {
  const refusal = async (token: string) => {
    const { status, error, headers } = await me(token);
    return [status, error?.code, headers['www-authenticate']];
  };
  const REJECTED = 'Bearer error="invalid_token"';

  it('An access token expires after 15 minutes', async () => {
    const { owner } = await world.desk();
    world.app.clock.advance(15 * 60 - 5);
    expect((await me(owner.token)).status).toBe(200);
    world.app.clock.advance(10);
    expect(await refusal(owner.token)).toEqual([401, 'token_expired', REJECTED]);
  });

  it('An access token names its issuer, audience, member and signing secret', async () => {
    const { owner } = await world.desk();
    const { header, claims } = readJwt(owner.token);
    expect(header).toMatchObject({ alg: 'HS256', kid: expect.any(String) });
    expect(claims).toMatchObject({
      iss: expect.any(String),
      aud: 'agent',
      sub: owner.memberId,
      jti: expect.any(String),
    });
    const again = readJwt((await refresh(owner.refreshToken)).data.token as string);
    expect(again.claims.jti).not.toBe(claims.jti);
    expect(readJwt(owner.refreshToken).claims.aud).toBe('refresh');
  });

  it('A request without an access token gets 401 unauthenticated', async () => {
    const answer = await world.anyone.get('/v1/auth/me');
    expect(answer).toMatchObject({ status: 401, error: { code: 'unauthenticated' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('A forged access token is refused (401), whichever part is forged', async () => {
    const { owner } = await world.desk();
    const { header, claims } = readJwt(owner.token);
    const forged = [
      jwt(claims, 'a secret that the service does not sign with', header),
      jwt(claims, '', { ...header, alg: 'none' }),
      jwt(claims, JWT_SECRET, { ...header, kid: undefined }),
      jwt(claims, JWT_SECRET, { ...header, kid: 'another' }),
      jwt({ ...claims, iss: 'another' }, JWT_SECRET, header),
      jwt({ ...claims, aud: 'anything' }, JWT_SECRET, header),
      jwt({ ...claims, sid: claims.sub }, JWT_SECRET, header),
      `${owner.token}x`,
      'garbage',
      `svc_sk_${'a'.repeat(32)}`.slice(0, -1),
    ];
    expect((await me(jwt(claims, JWT_SECRET, header))).status).toBe(200);
    for (const token of forged) {
      const [status, code] = await refusal(token);
      expect([token, status, code]).toEqual([
        token,
        401,
        token.startsWith('svc_') ? 'agent_token_required' : 'invalid_token',
      ]);
    }
  });

  it('A visitor token, a refresh token or a key is refused where an access token is required (401)', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const key = await world.apiKey(desk);
    for (const token of [visitor.token, desk.owner.refreshToken, key.token ?? '']) {
      expect(await refusal(token)).toEqual([401, 'agent_token_required', REJECTED]);
    }
  });

  it('The access and refresh tokens of a deactivated member are revoked', async () => {
    const { owner } = await world.desk();
    await deactivate(owner.memberId);
    expect(await refusal(owner.token)).toEqual([401, 'token_revoked', REJECTED]);
    expect((await refresh(owner.refreshToken)).error.code).toBe('token_revoked');
  });

  it('A demoted member loses the permissions of the old role at once', async () => {
    const desk = await world.desk();
    const admin = await world.colleague(desk, { role: 'admin' });
    expect((await admin.api.get('/v1/api-keys')).status).toBe(200);
    await world.app.database.query(`UPDATE member SET role = 'agent' WHERE id = $1`, [admin.memberId]);
    expect(await admin.api.get('/v1/api-keys')).toMatchObject({ status: 403, error: { code: 'forbidden' } });
  });

  it('An access token shows its member, workspace and scope at /v1/auth/me', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk, { channel_ids: [desk.channelId] });
    const { data } = await me(agent.token);
    expect(data.member).toMatchObject({ id: agent.memberId, email: agent.email, role: 'agent' });
    expect(data.workspace.id).toBe(desk.workspaceId);
    expect(data.scope).toEqual({ type: 'channels', channel_ids: [desk.channelId] });
    expect(data.workspaces).toEqual([{ id: desk.workspaceId, name: data.workspace.name, role: 'agent' }]);
  });
});

describe('Refreshing a session', () => {
  it('A refresh by body or Bearer returns a new access token and the same refresh token', async () => {
    const { owner } = await world.desk();
    world.app.clock.advance(60);
    const first = await refresh(owner.refreshToken);
    expect(first.status).toBe(200);
    expect(first.data.refresh_token).toBe(owner.refreshToken);
    expect(first.data.token).not.toBe(owner.token);
    expect((await me(first.data.token)).status).toBe(200);
    const second = await world.as(owner.refreshToken).post('/v1/auth/refresh');
    expect(second.data.refresh_token).toBe(owner.refreshToken);
  });

  it('A session can be refreshed until 7 days after the login, then the user must log in again', async () => {
    const { owner } = await world.desk();
    world.app.clock.advance(7 * DAY - 5 * 60);
    const last = await refresh(owner.refreshToken);
    expect(last.status).toBe(200);
    const end = readJwt(owner.refreshToken).claims.exp;
    expect(readJwt(last.data.token).claims.exp).toBe(end);
    world.app.clock.advance(5 * 60 + 1);
    expect(await refresh(owner.refreshToken)).toMatchObject({ status: 401, error: { code: 'token_expired' } });
    expect((await me(last.data.token)).error.code).toBe('token_expired');
    expect((await login(owner.email)).status).toBe(200);
  });

  it('A refresh accepts refresh tokens only', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const key = await world.apiKey(desk);
    for (const token of [desk.owner.token, visitor.token, key.token ?? '', 'garbage']) {
      expect(await refresh(token)).toMatchObject({ status: 401, error: { code: 'invalid_token' } });
    }
    const none = await world.anyone.post('/v1/auth/refresh');
    expect(none).toMatchObject({ status: 401, error: { code: 'unauthenticated' } });
    expect(none.headers['www-authenticate']).toBe('Bearer');
  });

  it('A refresh of a rotating session returns a new refresh token with the same expiry', async () => {
    const { owner } = await world.desk();
    let session: Tokens = await signIn(owner.email, { rotate: true });
    const end = readJwt(session.refresh_token).claims.exp;
    const seen = new Set([session.refresh_token]);
    for (const day of [1, 2, 3]) {
      world.app.clock.advance(DAY);
      session = (await refresh(session.refresh_token)).data as Tokens;
      expect([day, readJwt(session.refresh_token).claims.exp]).toEqual([day, end]);
      seen.add(session.refresh_token);
    }
    expect(seen.size).toBe(4);
  });

  it('A registration can open a rotating session, too', async () => {
    const session = await world.anyone.post('/v1/auth/register', registration({ rotate: true }));
    const next = await refresh(session.data.refresh_token);
    expect(next.data.refresh_token).not.toBe(session.data.refresh_token);
  });

  it('A reused refresh token of a rotating session counts as stolen and ends the session family', async () => {
    const { owner } = await world.desk();
    const thief = await signIn(owner.email, { rotate: true });
    const next = (await refresh(thief.refresh_token)).data as Tokens;
    world.app.clock.advance(11);
    expect(await refresh(thief.refresh_token)).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    expect((await refresh(next.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(next.token)).error.code).toBe('token_revoked');
    expect((await me(owner.token)).status).toBe(200);
  });

  it('A refresh token that is two rotations old ends the session family, however recent it is', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const second = (await refresh(session.refresh_token)).data as Tokens;
    const third = (await refresh(second.refresh_token)).data as Tokens;
    expect((await refresh(session.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(third.token)).error.code).toBe('token_revoked');
  });

  it('A repeated refresh within 10 seconds returns the same new refresh token', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const first = (await refresh(session.refresh_token)).data as Tokens;
    world.app.clock.advance(9);
    const repeated = (await refresh(session.refresh_token)).data as Tokens;
    expect(repeated.refresh_token).toBe(first.refresh_token);
    expect((await me(repeated.token)).status).toBe(200);
    world.app.clock.advance(60);
    expect((await refresh(repeated.refresh_token)).status).toBe(200);
  });

  it('Concurrent refreshes of a rotating session return one new refresh token', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const answers = await race(8, () => refresh(session.refresh_token));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ data }) => (data as Tokens).refresh_token)).size).toBe(1);
  });
});

describe('Logging out', () => {
  it('A logout ends the access tokens of its sign-in at once, and no other sign-in', async () => {
    const { owner } = await world.desk();
    const leaving = await signIn(owner.email);
    const refreshed = (await refresh(leaving.refresh_token)).data as Tokens;
    const answer = await world.anyone.post('/v1/auth/logout', { refresh_token: leaving.refresh_token });
    expect(answer.status).toBe(200);
    for (const token of [leaving.token, refreshed.token]) expect((await me(token)).error.code).toBe('token_revoked');
    expect((await refresh(leaving.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(owner.token)).status).toBe(200);
  });

  it('A logout with any refresh token of a session ends its family and can be repeated', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const next = (await refresh(session.refresh_token)).data as Tokens;
    for (const token of [session.refresh_token, session.refresh_token]) {
      expect((await world.as(token).post('/v1/auth/logout')).status).toBe(200);
    }
    expect((await me(next.token)).error.code).toBe('token_revoked');
  });

  it('A logout accepts refresh tokens only (401)', async () => {
    const { owner } = await world.desk();
    for (const [token, code] of [
      [owner.token, 'invalid_token'],
      ['garbage', 'invalid_token'],
    ] as const) {
      const answer = await world.anyone.post('/v1/auth/logout', { refresh_token: token });
      expect(answer).toMatchObject({ status: 401, error: { code } });
    }
    expect((await me(owner.token)).status).toBe(200);
  });
});

describe('Changing a password', () => {
  const change = (api: Caller, old: string, password: string) =>
    api.post('/v1/auth/password', { old_password: old, password });

  it('A password change needs the old password (401)', async () => {
    const { owner } = await world.desk();
    const answer = await change(owner.api, NEW_PASSWORD, 'yet another horse');
    expect(answer).toMatchObject({ status: 401, error: { code: 'invalid_credentials' } });
    expect((await login(owner.email)).status).toBe(200);
  });

  it('A password change ends every other session and keeps its own', async () => {
    const { owner } = await world.desk();
    const elsewhere = await signIn(owner.email);
    expect((await change(owner.api, PASSWORD, NEW_PASSWORD)).status).toBe(200);
    expect((await me(owner.token)).status).toBe(200);
    expect((await refresh(owner.refreshToken)).status).toBe(200);
    expect((await me(elsewhere.token)).error.code).toBe('token_revoked');
    expect((await refresh(elsewhere.refresh_token)).error.code).toBe('token_revoked');
    expect((await login(owner.email)).error.code).toBe('invalid_credentials');
    expect((await login(owner.email, { password: NEW_PASSWORD })).status).toBe(200);
  });

  it('Of concurrent password changes with the old password exactly one succeeds', async () => {
    const { owner } = await world.desk();
    const sessions = await race(4, () => signIn(owner.email));
    const answers = await race(4, n => change(sessions[n]?.api ?? owner.api, PASSWORD, `${NEW_PASSWORD} ${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await login(owner.email, { password: `${NEW_PASSWORD} ${winner}` })).status).toBe(200);
  });

  it('A password change refuses a password that breaks the rules (400)', async () => {
    const { owner } = await world.desk();
    const answer = await change(owner.api, PASSWORD, 'short');
    expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'password' }] } });
  });

  it('Keys and visitors cannot change a password (401)', async () => {
    const desk = await world.desk();
    const callers = [await world.apiKey(desk), (await world.visitor(desk)).api];
    for (const api of callers)
      expect((await change(api, PASSWORD, NEW_PASSWORD)).error.code).toBe('agent_token_required');
  });
});

describe('Resetting a password', () => {
  const reset = (token: string, password = NEW_PASSWORD) =>
    world.anyone.post('/v1/auth/password/reset', { reset_token: token, password });

  function findLinks(address: string): string[] {
    return world.app.mails.filter(({ to }) => to === address).map(({ text }) => /#reset=(\S+)/.exec(text)?.[1] ?? '');
  }

  async function requestLink(address: string): Promise<string> {
    const before = findLinks(address).length;
    expect((await world.anyone.post('/v1/auth/password/forgot', { email: address })).status).toBe(200);
    return eventually(() => findLinks(address)[before]);
  }

  it('A password reset through a mailed link ends every session', async () => {
    const { owner } = await world.desk();
    const elsewhere = await signIn(owner.email);
    const token = await requestLink(owner.email);
    const { text } = world.app.mails.find(({ to }) => to === owner.email) ?? { text: '' };
    expect(text).toContain(`${world.app.config.dashboardUrl}#reset=${token}`);
    expect((await reset(token)).status).toBe(200);
    for (const session of [owner.token, elsewhere.token]) expect((await me(session)).error.code).toBe('token_revoked');
    for (const session of [owner.refreshToken, elsewhere.refresh_token]) {
      expect((await refresh(session)).error.code).toBe('token_revoked');
    }
    expect((await login(owner.email)).status).toBe(401);
    expect((await login(owner.email, { password: NEW_PASSWORD })).status).toBe(200);
  });

  it('A request for a reset link gets one answer for known and unknown e-mails, only users get mail', async () => {
    const { owner } = await world.desk();
    const [unknown, passwordless] = [newEmail(), newEmail()];
    await (await world.apiKey(await world.desk())).post('/v1/workspace/members', { email: passwordless, name: 'Adam' });
    const answers = [];
    for (const address of [unknown, passwordless, owner.email]) {
      answers.push(await world.anyone.post('/v1/auth/password/forgot', { email: address }));
    }
    expect(answers.map(({ status, data }) => [status, data])).toEqual(Array(3).fill([200, { done: true }]));
    await eventually(() => findLinks(owner.email)[0]);
    expect([findLinks(unknown), findLinks(passwordless)]).toEqual([[], []]);
  });

  it("A reset mail keeps a user's name on one line and does not turn it into a link", async () => {
    const address = newEmail();
    const name = 'Ada,\nyour bill: https://evil.example/pay or bob@evil.example';
    await world.anyone.post('/v1/auth/register', registration({ email: address, name }));
    await requestLink(address);
    const { text } = world.app.mails.find(({ to }) => to === address) ?? { text: '' };
    expect(text.split('\n')[0]).toBe('Hello Ada, your bill: https[:]//evil[.]example/pay or bob@evil[.]example,');
    expect(text.match(/https?:\/\/\S+/g)).toHaveLength(1);
  });

  it('A reset link works once, however many requests use it at the same time', async () => {
    const { owner } = await world.desk();
    const token = await requestLink(owner.email);
    const answers = await race(8, n => reset(token, `${NEW_PASSWORD} ${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status, error }) => status === 401 && error.code === 'reset_invalid')).toBe(true);
  });

  it('A reset link is valid for one hour', async () => {
    const { owner } = await world.desk();
    const [late, timely] = [await requestLink(owner.email), await requestLink(owner.email)];
    world.app.clock.advance(3601);
    expect((await reset(late)).error.code).toBe('reset_invalid');
    world.app.clock.reset();
    world.app.clock.advance(3590);
    expect((await reset(timely)).status).toBe(200);
  });

  it('Other reset links become invalid when one is used or the password is changed', async () => {
    const { owner } = await world.desk();
    const [first, second] = [await requestLink(owner.email), await requestLink(owner.email)];
    expect((await reset(second)).status).toBe(200);
    expect((await reset(first)).error.code).toBe('reset_invalid');
    const third = await requestLink(owner.email);
    const back = await signIn(owner.email, { password: NEW_PASSWORD });
    await back.api.post('/v1/auth/password', { old_password: NEW_PASSWORD, password: PASSWORD });
    expect((await reset(third)).error.code).toBe('reset_invalid');
  });

  it('A password reset also ends a session that is being opened with the old password at that moment', async () => {
    const { owner } = await world.desk();
    const token = await requestLink(owner.email);
    // The login checks the password, then waits for the lock on the member's row.
    const memberLock = await lockRow(world.app.database, 'member', owner.memberId);
    const entering = login(owner.email);
    await memberLock.awaited();
    const resetting = reset(token);
    await Promise.race([resetting, memberLock.awaited(2)]);
    await memberLock.commit();
    expect((await resetting).status).toBe(200);
    const session = await entering;
    if (session.status === 200) expect((await me(session.data.token)).error.code).toBe('token_revoked');
    else expect(session.status).toBe(401);
  });

  it('A reset link stays valid when the new password is refused', async () => {
    const { owner } = await world.desk();
    const token = await requestLink(owner.email);
    expect(await reset(token, 'short')).toMatchObject({ status: 400, error: { details: [{ field: 'password' }] } });
    expect((await reset(token)).status).toBe(200);
  });

  it('An unknown reset token is refused (401)', async () => {
    expect(await reset('rst_garbage')).toMatchObject({ status: 401, error: { code: 'reset_invalid' } });
  });
});

describe('Secrets', () => {
  it('A rotation of JWT_SECRETS signs nobody out', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const rotating = await signIn(desk.owner.email, { rotate: true });
    const secrets = `the second secret that these tests sign tokens with,${JWT_SECRET}`;
    const renewed = await World.start({ JWT_SECRETS: secrets }, { database: world.app.database });
    expect((await renewed.as(desk.owner.token).get('/v1/auth/me')).status).toBe(200);
    expect((await renewed.as(visitor.token).get('/v1/widget/contact')).status).toBe(200);
    for (const refreshToken of [desk.owner.refreshToken, rotating.refresh_token]) {
      const fresh = await renewed.anyone.post('/v1/auth/refresh', { refresh_token: refreshToken });
      expect(fresh.status).toBe(200);
      expect(readJwt(fresh.data.token).header.kid).not.toBe(readJwt(desk.owner.token).header.kid);
      expect((await renewed.as(fresh.data.token).get('/v1/auth/me')).status).toBe(200);
    }
    await renewed.stop();
  });

  it('An access token signed with a removed secret is refused', async () => {
    const { owner } = await world.desk();
    const secrets = 'the third secret that these tests sign tokens with';
    const renewed = await World.start({ JWT_SECRETS: secrets }, { database: world.app.database });
    expect((await renewed.as(owner.token).get('/v1/auth/me')).error.code).toBe('invalid_token');
    await renewed.stop();
  });

  it('Passwords, tokens, keys and identity secrets are not stored in plain text anywhere in the database', async () => {
    const desk: Desk = await world.desk();
    const rotating = await signIn(desk.owner.email, { rotate: true });
    const next = (await refresh(rotating.refresh_token)).data as Tokens;
    await world.anyone.post('/v1/auth/password/forgot', { email: desk.owner.email });
    const mail = await eventually(() => world.app.mails.find(({ to }) => to === desk.owner.email));
    const channel = await desk.owner.api.post('/v1/channels', { name: 'Shop' }, { 'Idempotency-Key': unique('idem') });
    const made = [
      (await world.apiKey(desk)).token,
      desk.owner.token,
      desk.owner.refreshToken,
      rotating.refresh_token,
      next.refresh_token,
      (await world.visitor(desk)).token,
      /#reset=(\S+)/.exec(mail.text)?.[1],
      channel.data.identity_secret as string,
      PASSWORD,
    ];
    const [dump] = await world.app.database.query<{ xml: string }>(
      `SELECT schema_to_xml('public', true, false, '') AS xml`,
    );
    expect(dump?.xml).toContain(desk.workspaceId);
    for (const secret of made) {
      expect(secret).toBeTruthy();
      expect(dump?.xml.includes(secret ?? '')).toBe(false);
    }
  });
});

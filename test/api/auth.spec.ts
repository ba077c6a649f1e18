import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { lockedRow } from '../support/held-row.js';
import type { Caller } from '../support/http.js';
import { jwt, readJwt } from '../support/tokens.js';
import { countsOf, race } from '../support/race.js';
import type { Agent, Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const DAY = 24 * 3600;
const JWT_SECRET = 'the first secret that these tests sign tokens with';
const NEW_PASSWORD = 'a different horse, a new battery';

/** What a session that rotates its refresh tokens answers. */
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

function email(): string {
  return `${unique('person')}@example.com`;
}

function registration(body: Record<string, unknown> = {}): Record<string, unknown> {
  return { workspace_name: unique('Desk'), name: 'Olivia', email: email(), password: PASSWORD, ...body };
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

describe('registering', () => {
  it('makes a workspace with its first channel and the caller as its owner, signed in', async () => {
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

  it('takes a known e-mail with that user’s password, and one person then has two workspaces', async () => {
    const first = await world.desk();
    const again = await world.anyone.post('/v1/auth/register', registration({ email: first.owner.email }));
    expect(again.status).toBe(201);
    const session = await login(first.owner.email);
    const ids = session.data.workspaces.map((workspace: { id: string }) => workspace.id);
    expect(ids).toEqual([first.workspaceId, again.data.workspace.id]);
  });

  it('refuses a known e-mail with another password, and makes nothing', async () => {
    const { owner } = await world.desk();
    const name = unique('Never');
    const body = registration({ email: owner.email, password: NEW_PASSWORD, workspace_name: name });
    expect(await world.anyone.post('/v1/auth/register', body)).toMatchObject({
      status: 409,
      error: { code: 'email_taken' },
    });
    expect(await world.app.database.query('SELECT 1 FROM workspace WHERE name = $1', [name])).toEqual([]);
  });

  it('makes one user of racing registrations with one e-mail', async () => {
    const address = email();
    const answers = await race(6, () => world.anyone.post('/v1/auth/register', registration({ email: address })));
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const users = await world.app.database.query('SELECT 1 FROM user_account WHERE email = $1', [address]);
    expect(users).toHaveLength(1);
    const made = answers.filter(({ status }) => status === 201).length;
    expect((await login(address)).data.workspaces).toHaveLength(made);
  });

  it('names all faulty fields at once', async () => {
    const answer = await world.anyone.post('/v1/auth/register', { email: 'nobody', password: 'short', name: null });
    expect(answer).toMatchObject({ status: 400, error: { code: 'validation_failed' } });
    expect(answer.error.details?.map(({ field }) => field).sort()).toEqual([
      'email',
      'name',
      'password',
      'workspace_name',
    ]);
  });

  it('can be closed', async () => {
    const closed = await World.start({ ALLOW_REGISTRATION: 'off' }, { database: world.app.database });
    const answer = await closed.anyone.post('/v1/auth/register', registration());
    expect(answer).toMatchObject({ status: 403, error: { code: 'registration_disabled' } });
    await closed.stop();
  });
});

describe('passwords', () => {
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
    ['one of the commonest', '1234567890', false],
    ['one of the commonest in capitals', 'QWERTYUIOP', false],
  ])('are 10 to 72 bytes and not among the commonest: %s', async (_what, password, accepted) => {
    expect(await registered(password)).toBe(accepted);
  });

  it('open however the keyboard composes their letters', async () => {
    const address = email();
    await world.anyone.post(
      '/v1/auth/register',
      registration({ email: address, password: 'cafe\u0301 cafe\u0301 cafe\u0301' }),
    );
    expect((await login(address, { password: 'caf\u00e9 caf\u00e9 caf\u00e9' })).status).toBe(200);
  });

  it('are never cut: one that goes on after the right 72 bytes opens nothing', async () => {
    const address = email();
    const longest = 'ab'.repeat(36);
    await world.anyone.post('/v1/auth/register', registration({ email: address, password: longest }));
    expect((await login(address, { password: longest })).status).toBe(200);
    expect((await login(address, { password: `${longest}c` })).status).toBe(401);
  });

  it('lie in the database as bcrypt hashes', async () => {
    const { owner } = await world.desk();
    const [user] = await world.app.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM user_account WHERE email = $1',
      [owner.email],
    );
    expect(user?.password_hash).toMatch(/^\$2[ab]\$\d\d\$/);
  });
});

describe('e-mail addresses', () => {
  it('are trimmed and lower-cased once, so that one person is one user', async () => {
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
  ])('are refused when they are none, or their local part leaves ASCII: %s', async address => {
    const answer = await world.anyone.post('/v1/auth/register', registration({ email: address }));
    expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'email' }] } });
  });
});

describe('signing in', () => {
  it('answers one session shape, and the workspaces that the user can enter', async () => {
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

  it('gives the member’s own channels as the scope', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk, { channel_ids: [desk.channelId] });
    const session = await login(agent.email);
    expect(session.data.scope).toEqual({ type: 'channels', channel_ids: [desk.channelId] });
  });

  it('says the same of a wrong password and of an unknown e-mail', async () => {
    const { owner } = await world.desk();
    const wrong = await login(owner.email, { password: NEW_PASSWORD });
    const unknown = await login(email());
    expect(wrong).toMatchObject({ status: 401, error: { code: 'invalid_credentials' } });
    expect([unknown.status, unknown.error]).toEqual([wrong.status, wrong.error]);
    expect(wrong.headers['www-authenticate']).toBe('Bearer');
  });

  it('enters the workspace that is asked for, and no other’s', async () => {
    const [desk, foreign] = [await world.desk(), await world.desk()];
    const second = await world.anyone.post('/v1/auth/register', registration({ email: desk.owner.email }));
    const workspaceId: string = second.data.workspace.id;
    expect((await login(desk.owner.email, { workspace_id: workspaceId })).data.workspace.id).toBe(workspaceId);
    const refused = await login(desk.owner.email, { workspace_id: foreign.workspaceId });
    expect(refused).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect((await login(desk.owner.email, { workspace_id: 'x' })).status).toBe(400);
  });

  it('opens with a password only the memberships that were claimed with it', async () => {
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

  it('does not let in whom a key has made without a password', async () => {
    const key = await world.apiKey(await world.desk());
    const address = email();
    await key.post('/v1/workspace/members', { email: address, name: 'Adam' });
    expect((await login(address)).error.code).toBe('invalid_credentials');
  });

  it('tells a deactivated member so, but only with the right password', async () => {
    const { owner } = await world.desk();
    await deactivate(owner.memberId);
    expect((await login(owner.email, { password: NEW_PASSWORD })).error.code).toBe('invalid_credentials');
    expect(await login(owner.email)).toMatchObject({ status: 403, error: { code: 'member_deactivated' } });
  });

  it('passes over the workspace in which the member is deactivated', async () => {
    const desk = await world.desk();
    const second = await world.anyone.post('/v1/auth/register', registration({ email: desk.owner.email }));
    await deactivate(desk.owner.memberId);
    const session = await login(desk.owner.email);
    expect(session.data.workspace.id).toBe(second.data.workspace.id);
    expect(session.data.workspaces).toHaveLength(1);
    expect(await login(desk.owner.email, { workspace_id: desk.workspaceId })).toMatchObject({ status: 403 });
  });
});

describe('with hashes that take their time', () => {
  let slow: World;
  beforeAll(async () => {
    slow = await World.start({ BCRYPT_COST: '10', JWT_SECRETS: JWT_SECRET }, { database: world.app.database });
  });
  afterAll(() => slow.stop());

  const tryLogin = (address: string) => slow.anyone.post('/v1/auth/login', { email: address, password: NEW_PASSWORD });

  it('an unknown e-mail takes as long as a wrong password', async () => {
    const address = email();
    await slow.anyone.post('/v1/auth/register', registration({ email: address }));
    const fastest = async (who: string) => {
      const times: number[] = [];
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const started = performance.now();
        await tryLogin(who);
        times.push(performance.now() - started);
      }
      return Math.min(...times);
    };
    const wrong = await fastest(address);
    expect(await fastest(email())).toBeGreaterThan(wrong / 2);
  });

  it('a storm of logins is told to wait rather than queued without end, and the rest of the service goes on', async () => {
    const { owner } = await world.desk();
    const storm = race(70, () => tryLogin(email()));
    const calm = await slow.as(owner.token).get('/v1/workspace');
    expect(calm.status).toBe(200);
    const answers = await storm;
    expect(Object.keys(countsOf(answers.map(({ status }) => status)))).toEqual(['401', '429']);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect([answer.error.code, answer.headers['retry-after']]).toEqual(['rate_limited', '5']);
    }
  }, 120_000);
});

describe('access tokens', () => {
  const refusal = async (token: string) => {
    const { status, error, headers } = await me(token);
    return [status, error?.code, headers['www-authenticate']];
  };
  const REJECTED = 'Bearer error="invalid_token"';

  it('last 15 minutes, then say that they have expired', async () => {
    const { owner } = await world.desk();
    world.app.clock.advance(15 * 60 - 5);
    expect((await me(owner.token)).status).toBe(200);
    world.app.clock.advance(10);
    expect(await refusal(owner.token)).toEqual([401, 'token_expired', REJECTED]);
  });

  it('say who signed them for whom, and which secret it was', async () => {
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

  it('are asked for where none came', async () => {
    const answer = await world.anyone.get('/v1/auth/me');
    expect(answer).toMatchObject({ status: 401, error: { code: 'unauthenticated' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('are refused when anything about them is forged', async () => {
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

  it('of another kind count as none', async () => {
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const key = await world.apiKey(desk);
    for (const token of [visitor.token, desk.owner.refreshToken, key.token ?? '']) {
      expect(await refusal(token)).toEqual([401, 'agent_token_required', REJECTED]);
    }
  });

  it('end with the membership: a deactivated member’s are revoked', async () => {
    const { owner } = await world.desk();
    await deactivate(owner.memberId);
    expect(await refusal(owner.token)).toEqual([401, 'token_revoked', REJECTED]);
    expect((await refresh(owner.refreshToken)).error.code).toBe('token_revoked');
  });

  it('are worth what the member is worth now: a demotion holds at once', async () => {
    const desk = await world.desk();
    const admin = await world.colleague(desk, { role: 'admin' });
    expect((await admin.api.get('/v1/api-keys')).status).toBe(200);
    await world.app.database.query(`UPDATE member SET role = 'agent' WHERE id = $1`, [admin.memberId]);
    expect(await admin.api.get('/v1/api-keys')).toMatchObject({ status: 403, error: { code: 'forbidden' } });
  });

  it('say who the caller is, where and with which scope', async () => {
    const desk = await world.desk();
    const agent = await world.colleague(desk, { channel_ids: [desk.channelId] });
    const { data } = await me(agent.token);
    expect(data.member).toMatchObject({ id: agent.memberId, email: agent.email, role: 'agent' });
    expect(data.workspace.id).toBe(desk.workspaceId);
    expect(data.scope).toEqual({ type: 'channels', channel_ids: [desk.channelId] });
    expect(data.workspaces).toEqual([{ id: desk.workspaceId, name: data.workspace.name, role: 'agent' }]);
  });
});

describe('refreshing', () => {
  it('gives a new access token and the same refresh token, in the body or as Bearer', async () => {
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

  it('goes on until 7 days from the login, then one must log in', async () => {
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

  it('takes refresh tokens alone', async () => {
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

  it('gives a rotating session a new refresh token each time, with the same end', async () => {
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

  it('lets registration open a rotating session too', async () => {
    const session = await world.anyone.post('/v1/auth/register', registration({ rotate: true }));
    const next = await refresh(session.data.refresh_token);
    expect(next.data.refresh_token).not.toBe(session.data.refresh_token);
  });

  it('takes a reused refresh token of a rotating session for a theft, and ends the family', async () => {
    const { owner } = await world.desk();
    const thief = await signIn(owner.email, { rotate: true });
    const next = (await refresh(thief.refresh_token)).data as Tokens;
    world.app.clock.advance(11);
    expect(await refresh(thief.refresh_token)).toMatchObject({ status: 401, error: { code: 'token_revoked' } });
    expect((await refresh(next.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(next.token)).error.code).toBe('token_revoked');
    expect((await me(owner.token)).status).toBe(200);
  });

  it('ends the family too when the token is two rotations old, however soon', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const second = (await refresh(session.refresh_token)).data as Tokens;
    const third = (await refresh(second.refresh_token)).data as Tokens;
    expect((await refresh(session.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(third.token)).error.code).toBe('token_revoked');
  });

  it('gives twins of one call within 10 seconds the same new refresh token', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const first = (await refresh(session.refresh_token)).data as Tokens;
    world.app.clock.advance(9);
    const twin = (await refresh(session.refresh_token)).data as Tokens;
    expect(twin.refresh_token).toBe(first.refresh_token);
    expect((await me(twin.token)).status).toBe(200);
    world.app.clock.advance(60);
    expect((await refresh(twin.refresh_token)).status).toBe(200);
  });

  it('gives racing twins one refresh token', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const answers = await race(8, () => refresh(session.refresh_token));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(answers.map(({ data }) => (data as Tokens).refresh_token)).size).toBe(1);
  });
});

describe('logging out', () => {
  it('ends the access tokens of the sign-in at once, and no other sign-in', async () => {
    const { owner } = await world.desk();
    const leaving = await signIn(owner.email);
    const refreshed = (await refresh(leaving.refresh_token)).data as Tokens;
    const answer = await world.anyone.post('/v1/auth/logout', { refresh_token: leaving.refresh_token });
    expect(answer.status).toBe(200);
    for (const token of [leaving.token, refreshed.token]) expect((await me(token)).error.code).toBe('token_revoked');
    expect((await refresh(leaving.refresh_token)).error.code).toBe('token_revoked');
    expect((await me(owner.token)).status).toBe(200);
  });

  it('ends the family by any of its refresh tokens, and may be repeated', async () => {
    const { owner } = await world.desk();
    const session = await signIn(owner.email, { rotate: true });
    const next = (await refresh(session.refresh_token)).data as Tokens;
    for (const token of [session.refresh_token, session.refresh_token]) {
      expect((await world.as(token).post('/v1/auth/logout')).status).toBe(200);
    }
    expect((await me(next.token)).error.code).toBe('token_revoked');
  });

  it('takes refresh tokens alone', async () => {
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

describe('changing a password', () => {
  const change = (api: Caller, old: string, password: string) =>
    api.post('/v1/auth/password', { old_password: old, password });

  it('needs the old one', async () => {
    const { owner } = await world.desk();
    const answer = await change(owner.api, NEW_PASSWORD, 'yet another horse');
    expect(answer).toMatchObject({ status: 401, error: { code: 'invalid_credentials' } });
    expect((await login(owner.email)).status).toBe(200);
  });

  it('ends every other session, and not this one', async () => {
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

  it('is done once by those who race with the old one', async () => {
    const { owner } = await world.desk();
    const sessions = await race(4, () => signIn(owner.email));
    const answers = await race(4, n => change(sessions[n]?.api ?? owner.api, PASSWORD, `${NEW_PASSWORD} ${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await login(owner.email, { password: `${NEW_PASSWORD} ${winner}` })).status).toBe(200);
  });

  it('keeps the rules of passwords', async () => {
    const { owner } = await world.desk();
    const answer = await change(owner.api, PASSWORD, 'short');
    expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'password' }] } });
  });

  it('is not for keys and visitors', async () => {
    const desk = await world.desk();
    const callers = [await world.apiKey(desk), (await world.visitor(desk)).api];
    for (const api of callers)
      expect((await change(api, PASSWORD, NEW_PASSWORD)).error.code).toBe('agent_token_required');
  });
});

describe('a forgotten password', () => {
  const reset = (token: string, password = NEW_PASSWORD) =>
    world.anyone.post('/v1/auth/password/reset', { reset_token: token, password });

  function linksFor(address: string): string[] {
    return world.app.mails.filter(({ to }) => to === address).map(({ text }) => /#reset=(\S+)/.exec(text)?.[1] ?? '');
  }

  async function linkFor(address: string): Promise<string> {
    const before = linksFor(address).length;
    expect((await world.anyone.post('/v1/auth/password/forgot', { email: address })).status).toBe(200);
    return eventually(() => linksFor(address)[before]);
  }

  it('is replaced through a mailed link, which ends every session', async () => {
    const { owner } = await world.desk();
    const elsewhere = await signIn(owner.email);
    const token = await linkFor(owner.email);
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

  it('is asked for in the same words whether or not there is such a user, who alone gets mail', async () => {
    const { owner } = await world.desk();
    const [unknown, passwordless] = [email(), email()];
    await (await world.apiKey(await world.desk())).post('/v1/workspace/members', { email: passwordless, name: 'Adam' });
    const answers = [];
    for (const address of [unknown, passwordless, owner.email]) {
      answers.push(await world.anyone.post('/v1/auth/password/forgot', { email: address }));
    }
    expect(answers.map(({ status, data }) => [status, data])).toEqual(Array(3).fill([200, { done: true }]));
    await eventually(() => linksFor(owner.email)[0]);
    expect([linksFor(unknown), linksFor(passwordless)]).toEqual([[], []]);
  });

  it('is asked for by a mail that makes no second line and no link of the name that the user typed', async () => {
    const address = email();
    const name = 'Ada,\nyour bill: https://evil.example/pay or bob@evil.example';
    await world.anyone.post('/v1/auth/register', registration({ email: address, name }));
    await linkFor(address);
    const { text } = world.app.mails.find(({ to }) => to === address) ?? { text: '' };
    expect(text.split('\n')[0]).toBe('Hello Ada, your bill: https[:]//evil[.]example/pay or bob@evil[.]example,');
    expect(text.match(/https?:\/\/\S+/g)).toHaveLength(1);
  });

  it('is replaced once per link, however many race', async () => {
    const { owner } = await world.desk();
    const token = await linkFor(owner.email);
    const answers = await race(8, n => reset(token, `${NEW_PASSWORD} ${n}`));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status, error }) => status === 401 && error.code === 'reset_invalid')).toBe(true);
  });

  it('has a link for an hour', async () => {
    const { owner } = await world.desk();
    const [late, timely] = [await linkFor(owner.email), await linkFor(owner.email)];
    world.app.clock.advance(3601);
    expect((await reset(late)).error.code).toBe('reset_invalid');
    world.app.clock.reset();
    world.app.clock.advance(3590);
    expect((await reset(timely)).status).toBe(200);
  });

  it('spends every other link with the one that is used, and with a change of the password', async () => {
    const { owner } = await world.desk();
    const [first, second] = [await linkFor(owner.email), await linkFor(owner.email)];
    expect((await reset(second)).status).toBe(200);
    expect((await reset(first)).error.code).toBe('reset_invalid');
    const third = await linkFor(owner.email);
    const back = await signIn(owner.email, { password: NEW_PASSWORD });
    await back.api.post('/v1/auth/password', { old_password: NEW_PASSWORD, password: PASSWORD });
    expect((await reset(third)).error.code).toBe('reset_invalid');
  });

  it('ends also the session that the old password is opening at this moment', async () => {
    const { owner } = await world.desk();
    const token = await linkFor(owner.email);
    // nobody who signs the member in gets past this, and its password has been checked by then
    const held = await lockedRow(world.app.database, 'member', owner.memberId);
    const entering = login(owner.email);
    await held.awaited();
    const resetting = reset(token);
    await Promise.race([resetting, held.awaited(2)]);
    await held.commit();
    expect((await resetting).status).toBe(200);
    const session = await entering;
    if (session.status === 200) expect((await me(session.data.token)).error.code).toBe('token_revoked');
    else expect(session.status).toBe(401);
  });

  it('keeps its link when the new password is not acceptable', async () => {
    const { owner } = await world.desk();
    const token = await linkFor(owner.email);
    expect(await reset(token, 'short')).toMatchObject({ status: 400, error: { details: [{ field: 'password' }] } });
    expect((await reset(token)).status).toBe(200);
  });

  it('is not replaced by garbage', async () => {
    expect(await reset('rst_garbage')).toMatchObject({ status: 401, error: { code: 'reset_invalid' } });
  });
});

describe('secrets', () => {
  it('rotate without logging anybody out', async () => {
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

  it('retire with the secret that is taken away', async () => {
    const { owner } = await world.desk();
    const secrets = 'the third secret that these tests sign tokens with';
    const renewed = await World.start({ JWT_SECRETS: secrets }, { database: world.app.database });
    expect((await renewed.as(owner.token).get('/v1/auth/me')).error.code).toBe('invalid_token');
    await renewed.stop();
  });

  it('lie nowhere in the database as they are', async () => {
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

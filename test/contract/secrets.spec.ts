import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/config/config.js';
import { VARIABLES } from '../../src/config/env.js';
import { ConfigInvalid } from '../../src/config/parse-env.js';
import { RATE_LIMITS } from '../../src/config/rate-limits.js';
import { sha256 } from '../../src/kernel/secret.js';
import { createLog, NestLog } from '../../src/platform/logging/log.js';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import { tokenIn } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { ticketIn } from '../support/sso.js';
import { jwt } from '../support/tokens.js';
import type { Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

describe('Storage and logs after requests to every endpoint that handles secrets', () => {
  const lines: string[] = [];
  /** Every secret that was sent or received, by name. */
  const secrets: Record<string, string> = {};
  /** Statuses of the responses, which prove that the requests took the expected paths. */
  const statuses: number[] = [];
  const accessStatuses: number[] = [];
  let world: World;
  let desk: Desk;
  let stored: string;
  let logged: string;

  beforeAll(async () => {
    world = await World.start({ LOG_LEVEL: 'trace' }, { log: { write: line => void lines.push(line) } });
    desk = await world.register();
    await passwords();
    await sessions();
    await keys();
    await tickets();
    await invites();
    await bots();
    await widget();
    await sockets(await world.visitor(desk));
    await misplacedSecrets();
    await databaseErrors();
    stored = await dumpTables();
    logged = lines.join('');
  });
  afterAll(() => world.stop());

  /** Registers a secret under a name. @returns the secret */
  function secret(name: string, value: string): string {
    secrets[name] = value;
    return value;
  }

  const password = (name: string) => secret(`password: ${name}`, `${unique('pass')} phrase for ${name}`);

  async function passwords(): Promise<void> {
    const email = `${unique('p')}@example.com`;
    const first = password('registered');
    const registered = await world.anyone.post('/v1/auth/register', {
      workspace_name: 'W',
      name: 'N',
      email,
      password: first,
    });
    const wrong = await world.anyone.post('/v1/auth/login', { email, password: password('mistyped') });
    const short = await world.anyone.post('/v1/auth/register', {
      email,
      password: secret('password: bad', 'Sh0rt-pw!'),
    });
    const second = password('changed');
    const token = secret('access token', registered.data.token);
    const changed = await world.as(token).post('/v1/auth/password', { old_password: first, password: second });
    await world.anyone.post('/v1/auth/password/forgot', { email });
    const mail = await eventually(() => world.app.mails.find(({ to }) => to === email));
    const reset_token = secret('reset token', /reset=(\S+)/.exec(mail.text)?.[1] ?? '');
    const third = password('reset');
    const reset = await world.anyone.post('/v1/auth/password/reset', { reset_token, password: third });
    const spent = await world.anyone.post('/v1/auth/password/reset', { reset_token, password: third });
    const login = await world.anyone.post('/v1/auth/login', { email, password: third, rotate: true });
    const unspent = secret('refresh token, rotating', login.data.refresh_token);
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: unspent });
    secret('refresh token, rotated', refreshed.data.refresh_token);
    secret('access token, refreshed', refreshed.data.token);
    for (const { status } of [registered, wrong, short, changed, reset, spent, login, refreshed]) statuses.push(status);
  }

  async function sessions(): Promise<void> {
    const { refreshToken, token } = desk.owner;
    secret('refresh token', refreshToken);
    secret('owner token', token);
    const byHeader = await world.as(refreshToken).post('/v1/auth/refresh');
    const ended = await world.hire(desk);
    const logout = await world.anyone.post('/v1/auth/logout', { refresh_token: secret('ended', ended.refreshToken) });
    const forged = secret('forged token', jwt({ aud: 'agent', sub: 'x' }, 'nobody'));
    const refused = await world.as(forged).get('/v1/auth/me');
    for (const { status } of [byHeader, logout, refused]) statuses.push(status);
  }

  async function keys(): Promise<void> {
    const once = secret('idempotency key', unique('idempotency-key'));
    const create = () => desk.owner.api.post('/v1/api-keys', { name: 'key' }, { 'Idempotency-Key': once });
    const [made, again] = [await create(), await create()];
    const key = world.as(secret('API key', made.data.key));
    const member = await key.post('/v1/workspace/members', {
      name: 'M',
      email: `${unique('m')}@example.com`,
      password: password('of a member'),
    });
    const revoked = await key.delete(`/v1/api-keys/${made.data.id}`);
    const refused = await key.get('/v1/workspace');
    expect(again.data.key).toBe(made.data.key);
    for (const { status } of [made, again, member, revoked, refused]) statuses.push(status);
  }

  /** Registers the tokens in a response. */
  function session(name: string, { data }: Answer<Json>): Json {
    secret(`${name}: token`, data.token as string);
    secret(`${name}: refresh token`, data.refresh_token as string);
    return data;
  }

  async function tickets(): Promise<void> {
    const made = await desk.owner.api.post('/v1/api-keys', { name: 'backend' });
    const key = world.as(secret('API key of a backend', made.data.key));
    const { email } = desk.owner;
    const issue = (body: object = {}) => key.post('/v1/auth/sso/ticket', { email, ...body });
    const issued = [await issue(), await issue({ channel_ids: [] }), await issue()];
    const [first = '', second = '', third = ''] = issued.map(({ data }, index) =>
      secret(`ticket ${index}`, ticketIn(data.redirect_url as string)),
    );
    const exchange = (ticket: string, body: object = {}) =>
      world.anyone.post('/v1/auth/sso/exchange', { ticket, ...body });
    const rotating = await exchange(first, { rotate: true });
    const { refresh_token } = session('by ticket', rotating);
    session('by ticket, rotated', await world.anyone.post('/v1/auth/refresh', { refresh_token }));
    session('by ticket, narrow', await exchange(second));
    const spent = await exchange(first);
    const unknown = await exchange(secret('ticket, unknown', `sst_${unique('of nobody')}`));
    const asToken = await world.as(third).get('/v1/auth/me');
    const byKey = await key.post('/v1/auth/agent-token', { email });
    const { token } = session('by key', byKey);
    session('derived', await world.as(token).post('/v1/auth/agent-token', { channel_ids: [] }));
    const asTicket = await exchange(token as string);
    const inBrowser = await key.post('/v1/auth/sso/ticket', { email }, { Origin: 'https://shop.example' });
    // Secrets in query strings, where clients may send them by mistake.
    await world.anyone.get(`/v1/auth/sso/exchange?ticket=${third}`);
    await world.anyone.post(`/v1/auth/sso/exchange?ticket=${third}`, {});
    await world.anyone.get(`/dashboard?sso_ticket=${third}`);
    await world.anyone.get(`/v1/workspace?api_key=${key.token}&access_token=${token}`);
    await key.post(`/v1/auth/agent-token?token=${token}`, { email: 'nobody@example.com' });
    await desk.owner.api.delete(`/v1/api-keys/${made.data.id}?end_sessions=true`);
    const afterDeletion = [await issue(), await key.get(`/v1/workspace?key=${key.token}`), await exchange(third)];
    const refused = [spent, unknown, asToken, byKey, asTicket, inBrowser, ...afterDeletion];
    accessStatuses.push(...issued.map(({ status }) => status), rotating.status, ...refused.map(({ status }) => status));
  }

  async function invites(): Promise<void> {
    const email = `${unique('guest')}@example.com`;
    const make = (body: object, headers = {}) => desk.owner.api.post('/v1/workspace/invites', body, headers);
    const tokenOf = (name: string, { data }: Answer<Json>) => secret(name, tokenIn(data.accept_url as string));
    const once = { 'Idempotency-Key': secret('idempotency key of an invite', unique('idempotency-key')) };
    const made = await make({ email }, once);
    const again = await make({ email }, once);
    const first = tokenOf('invite', made);
    expect(again.data.accept_url).toBe(made.data.accept_url);
    const renewed = await make({ email });
    tokenOf('invite, renewed', renewed);
    const resent = await desk.owner.api.post(`/v1/workspace/invites/${made.data.id}/resend`);
    const invite_token = tokenOf('invite, sent again', resent);
    const chosen = password('chosen with an invite');
    const accept = (token: string, typed: string) =>
      world.anyone.post('/v1/auth/register-user', { invite_token: token, name: 'G', password: typed });
    const stale = await accept(first, password('typed at a renewed invite'));
    const short = await accept(invite_token, secret('password: too short', 'T1ny-pw!'));
    const preview = await world.anyone.post('/v1/auth/invite-preview', { invite_token });
    const accepted = await accept(invite_token, chosen);
    session('by invite', accepted);
    const spent = await accept(invite_token, chosen);
    const known = (await world.register()).owner.email;
    const other = tokenOf('invite of a known user', await make({ email: known }));
    const wrong = await accept(other, password('typed at an invite'));
    await world.anyone.get(`/dashboard?invite=${other}`);
    await world.anyone.get(`/v1/auth/invite-preview?invite_token=${other}`);
    for (const { status } of [made, renewed, resent, stale, short, preview, accepted, spent, wrong])
      accessStatuses.push(status);
  }

  async function bots(): Promise<void> {
    const once = { 'Idempotency-Key': secret('idempotency key of a bot', unique('idempotency-key')) };
    const make = () => desk.owner.api.post('/v1/bots', { name: 'Robo', webhook_url: 'https://93.184.215.14/' }, once);
    const [made, again] = [await make(), await make()];
    expect(again.data.secret).toBe(made.data.secret);
    const path = `/v1/bots/${made.data.id}`;
    const rotated = await desk.owner.api.post(`${path}/rotate-secret`);
    const changed = await desk.owner.api.patch(path, {
      secret: secret('bot secret, chosen by the caller', unique('whsec')),
    });
    const deleted = await desk.owner.api.post('/v1/bots', { name: 'Gone' });
    await desk.owner.api.delete(`/v1/bots/${deleted.data.id}`);
    for (const [name, { data }] of Object.entries({ made, rotated, deleted })) {
      const whole = secret(`bot secret, ${name}`, data.secret as string);
      // The signing key is the decoded text after the prefix.
      secret(`bot key, ${name}`, Buffer.from(whole.replace('whsec_', ''), 'base64').toString('hex'));
    }
    for (const { status } of [made, again, rotated, changed, deleted]) accessStatuses.push(status);
  }

  async function widget(): Promise<void> {
    const made = await desk.owner.api.post('/v1/channels', { name: 'C', identity_verification: 'required' });
    secret('identity secret', made.data.identity_secret);
    const rotated = await desk.owner.api.post(`/v1/channels/${made.data.id}/rotate-identity-secret`);
    const identity = secret('identity secret, rotated', rotated.data.identity_secret);
    const claims = { sub: 'user', exp: Math.floor(Date.now() / 1000) + 600 };
    const open = (identity_token: string, as = world.anyone) =>
      as.post('/v1/widget/session', { widget_token: made.data.widget_token, external_id: 'user', identity_token });
    const proof = secret('identity token', jwt(claims, identity));
    const session = await open(proof);
    const refused = await open(secret('identity token, bad', jwt(claims, 'nobody')));
    const token = secret('visitor token', session.data.visitor_token);
    const renewed = await open(proof, world.as(token));
    const self = await world.as(token).get('/v1/widget/contact');
    for (const { status } of [made, rotated, session, refused, renewed, self]) statuses.push(status);
  }

  /** Opens sockets that are admitted, refused, closed or at an unknown path, with tokens in every query. */
  async function sockets(visitor: Visitor): Promise<void> {
    secret('visitor token on a socket', visitor.token);
    const conversation = await world.conversation(visitor);
    const open = await world.visitorSocket(visitor, { conv: conversation.id });
    open.send(`{"type":"auth","token":"${visitor.token}"`);
    await open.next('error');
    await (await world.agentSocket(desk.owner)).close();
    await open.close();
    const wrong = [
      `/ws/agent?token=${visitor.token}`,
      `/ws/visitor?token=${desk.owner.token}`,
      `/ws/visitor?token=${secrets['forged token'] ?? ''}&reject=close`,
      `/ws/visitor?token=${visitor.token}&conv=nowhere`,
      `/ws/elsewhere?token=${visitor.token}`,
    ];
    for (const path of wrong) {
      const socket = new WebSocket(`${world.app.wsUrl}${path}`);
      await new Promise(resolve => socket.on('close', resolve).on('error', () => undefined));
    }
  }

  /** Sends secrets in unexpected parts of requests. */
  async function misplacedSecrets(): Promise<void> {
    const token = desk.owner.token;
    await world.as(token).get(`/v1/nowhere?token=${token}`);
    await world.as(token).get(`/v1/conversations?cursor=${token}`);
    await world.anyone.get(`/healthz?token=${token}`);
    await world.anyone.get('/v1/workspace', {
      Authorization: `Basic ${secret('basic', 'dXNlcjpzZWNyZXQgb2YgYSB1c2Vy')}`,
    });
    await world.anyone.get('/v1/workspace', { Cookie: `session=${secret('cookie', unique('cookie'))}` });
    const body = `{"email": "a@example.com", "password": "${password('in broken JSON')}"`;
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${world.app.url}/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(400);
  }

  /** Causes a database error, whose message has the values of the statement. */
  async function databaseErrors(): Promise<void> {
    await world.app.database.query(`ALTER TABLE contact ADD CONSTRAINT ck_planted CHECK (name <> 'Unlucky')`);
    const attribute = secret('private attribute', unique('privately'));
    const details = { name: 'Unlucky', email: `${attribute}@example.com`, custom_attributes: { attribute } };
    expect((await desk.owner.api.post('/v1/contacts', details)).status).toBe(500);
    await world.app.database.query('ALTER TABLE contact DROP CONSTRAINT ck_planted');
    await failedWrites();
  }

  /** Makes the statement fail that writes the hash or the encrypted secret, at every endpoint that creates one. */
  async function failedWrites(): Promise<void> {
    const key = await world.apiKey(desk);
    const { email } = desk.owner;
    const { redirect_url } = (await key.post('/v1/auth/sso/ticket', { email })).data;
    const invite = await desk.owner.api.post('/v1/workspace/invites', { email: `${unique('late')}@example.com` });
    const ticket = secret('ticket at a failed write', ticketIn(redirect_url as string));
    const invite_token = secret('invite at a failed write', tokenIn(invite.data.accept_url as string));
    const tables = ['session', 'sso_ticket', 'invite', 'bot', 'api_key'];
    for (const table of tables) {
      await world.app.database.query(`ALTER TABLE ${table} ADD CONSTRAINT ck_broken CHECK (false) NOT VALID`);
    }
    const body = { name: 'G', email, password: password('at a failed write') };
    const answers = [
      await world.anyone.post('/v1/auth/sso/exchange', { ticket }),
      await key.post('/v1/auth/sso/ticket', { email }),
      await key.post('/v1/auth/agent-token', { email }),
      await world.anyone.post('/v1/auth/register-user', { ...body, invite_token }),
      await desk.owner.api.post('/v1/workspace/invites', { email: `${unique('later')}@example.com` }),
      await desk.owner.api.post('/v1/bots', { name: 'Robo' }),
      await desk.owner.api.post('/v1/api-keys', { name: 'key' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 500));
    for (const table of tables) await world.app.database.query(`ALTER TABLE ${table} DROP CONSTRAINT ck_broken`);
    session('after the fault', await world.anyone.post('/v1/auth/sso/exchange', { ticket }));
  }

  /** @returns every row of every table, as text */
  async function dumpTables(): Promise<string> {
    const tables = await world.app.database.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    expect(tables.length).toBeGreaterThan(15);
    const texts = tables.map(async ({ name }) => {
      const rows = await world.app.database.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} t`);
      return rows.map(({ row }) => row).join('\n');
    });
    return (await Promise.all(texts)).join('\n');
  }

  /** @returns names of the secrets in the text, plain or encoded */
  const findSecrets = (text: string) =>
    Object.entries(secrets).flatMap(([name, value]) => {
      const forms = Object.entries(encodingsOf(value)).filter(([, form]) => text.includes(form));
      return forms.map(([form]) => (form === 'as it is' ? name : `${name}, ${form}`));
    });

  it('The requests of this test had the expected statuses and stored hashes', () => {
    expect(statuses).toEqual([
      ...[201, 401, 400, 200, 200, 401, 200, 200],
      ...[200, 200, 401],
      ...[201, 201, 201, 200, 401],
      ...[201, 200, 200, 401, 200, 200],
    ]);
    expect(accessStatuses).toEqual([
      ...[200, 200, 200, 200, 401, 401, 401, 200, 401, 403, 401, 401, 401],
      ...[201, 200, 200, 401, 400, 200, 201, 401, 401],
      ...[201, 201, 200, 200, 201],
    ]);
    expect(Object.values(secrets).filter(value => value.length < 8)).toEqual([]);
    expect(Object.keys(secrets).length).toBeGreaterThan(60);
    expect(stored).toContain(sha256(secrets['API key'] ?? ''));
    expect(stored).toContain(sha256(secrets['refresh token'] ?? ''));
    for (const name of ['ticket 0', 'invite, sent again', 'API key of a backend', 'by ticket, narrow: refresh token']) {
      expect([name, stored.includes(sha256(secrets[name] ?? ''))]).toEqual([name, true]);
    }
    expect(stored).toContain('$2b$');
    expect(logged).toContain('POST /v1/auth/login 401');
    expect(logged).toContain('"level":"debug"');
  });

  it('No table has a password, token, key or secret in plain or encoded form', () => {
    expect(findSecrets(stored).filter(name => name !== 'private attribute')).toEqual([]);
  });

  it('No log line at level trace has a password, token, key or secret', () => {
    expect(findSecrets(logged)).toEqual([]);
  });

  it('No access log line has a query string or fragment', () => {
    const requests = lines.map(line => JSON.parse(line) as { context?: string; path?: string; msg?: string });
    const paths = requests.filter(({ context }) => context === 'http').map(({ path, msg }) => `${path} ${msg}`);
    expect(paths.length).toBeGreaterThan(80);
    expect(paths.filter(text => /[?#]/.test(text))).toEqual([]);
    expect(logged).not.toMatch(/sso_ticket=|invite=|[?&](token|ticket|key|access_token|api_key|invite_token)=/);
  });

  it('The search for secrets finds them in hex, base64, base64url and URL encoding', () => {
    const value = secrets['API key of a backend'] ?? '';
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      for (const before of ['', 'x', 'xy']) {
        const text = Buffer.from(`${before}${value} and more`).toString(encoding);
        expect([encoding, before, findSecrets(text).length > 0]).toEqual([encoding, before, true]);
      }
    }
    expect(findSecrets(encodeURIComponent(secrets['password: changed'] ?? ''))).toEqual([
      'password: changed, in a URL',
    ]);
    const { token = '' } = { token: secrets['by key: token'] };
    expect(findSecrets(token.split('.').at(-1) ?? '')).toEqual(['by key: token, its signature']);
    expect(findSecrets(JSON.stringify({ nothing: 'of that kind' }))).toEqual([]);
  });

  it('The log of a database error has its type, code, constraint, stack and request id', () => {
    const line = lines.find(text => text.includes('ck_planted')) ?? '{}';
    const { level, requestId, err } = JSON.parse(line) as {
      level: string;
      requestId: string;
      err: { type: string; message: string; stack: string; code: string; constraint: string };
    };
    expect(level).toBe('error');
    expect(requestId).toMatch(/^[0-9a-f]{24}$/);
    expect(err).toMatchObject({ type: 'QueryFailedError', code: '23514', constraint: 'ck_planted' });
    expect(err.stack).toContain('contacts');
  });

  it('Every log line is JSON with a level and a time', () => {
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.stringMatching(/^2\S+Z$/) });
    }
  });
});

/** @returns the encodings of a secret. In base64 it depends on the secret's offset in the text. */
function encodingsOf(value: string): Record<string, string> {
  const signature = value.startsWith('eyJ') ? value.split('.').at(-1) : undefined;
  const aligned = [0, 1, 2].flatMap(shift => {
    const bytes = Buffer.from('x'.repeat(shift) + value);
    const [from, to] = [shift === 0 ? 0 : 4, Math.floor(bytes.length / 3) * 4];
    return (['base64', 'base64url'] as const).map(encoding => [
      `in ${encoding}, ${shift}`,
      bytes.toString(encoding).slice(from, to),
    ]);
  });
  const inUrl = encodeURIComponent(value);
  return {
    'as it is': value,
    'in hex': Buffer.from(value).toString('hex'),
    ...(inUrl === value ? {} : { 'in a URL': inUrl }),
    ...(signature === undefined ? {} : { 'its signature': signature }),
    ...(Object.fromEntries(aligned) as Record<string, string>),
  };
}

describe('The log', () => {
  it('The log redacts fields named like secrets at any depth', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'trace', pretty: false, destination: { write: line => void lines.push(line) } });
    log.info({ password: 'hush-1', headers: { authorization: 'hush-2' }, a: { b: { token: 'hush-3' } } }, 'words');
    new NestLog(log).warn({ secret: 'hush-4', body: { refresh_token: 'hush-5' } }, 'context');
    const text = lines.join('');
    expect(text).not.toContain('hush');
    expect(text.match(/\[redacted\]/g)).toHaveLength(5);
    expect(text).toContain('words');
  });
});

describe('The configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'support-chat-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const VALID = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://chat@db.internal/chat',
    PUBLIC_URL: 'https://chat.company.net',
    JWT_SECRETS: 'kQ3vX9rT2mN8bW5yL7pZ4cF6hJ1dS0gA',
    ENCRYPTION_KEYS: 'uE4iO8aP2wR6tY1qM3nB5vC7xZ9lK0jH',
    DATA_DIR: folder,
  };

  function faultsOf(env: Record<string, string | undefined>): string[] {
    try {
      loadConfig({ DATA_DIR: folder, ...env });
      return [];
    } catch (error) {
      if (error instanceof ConfigInvalid) return error.faults;
      throw error;
    }
  }

  it('A valid production configuration is accepted', () => {
    expect(faultsOf(VALID)).toEqual([]);
    expect(loadConfig(VALID)).toMatchObject({
      production: true,
      publicUrl: 'https://chat.company.net',
      dashboardUrl: 'https://chat.company.net/dashboard',
      bcryptCost: 12,
      rateLimits: RATE_LIMITS,
    });
    expect(Object.isFrozen(loadConfig(VALID))).toBe(true);
  });

  it('An invalid configuration reports all faults at once, by variable, without secrets', () => {
    const faults = faultsOf({
      NODE_ENV: 'production',
      PORT: '70000',
      PUBLIC_URL: 'http://chat.company.net',
      DATABASE_POOL_SIZE: 'many',
      JWT_SECRETS: 'short',
      BCRYPT_COST: '4',
      ALLOW_REGISTRATION: 'perhaps',
      TRUST_PROXY: 'everybody',
      RATE_LIMITS: 'agent=lots',
      LOG_LEVEL: 'loud',
    });
    expect(faults.map(fault => fault.split(' ')[0] ?? '').sort()).toEqual(
      [
        'PORT',
        'DATABASE_URL',
        'PUBLIC_URL',
        'DATABASE_POOL_SIZE',
        'JWT_SECRETS',
        'ENCRYPTION_KEYS',
        'BCRYPT_COST',
        'ALLOW_REGISTRATION',
        'TRUST_PROXY',
        'RATE_LIMITS',
        'LOG_LEVEL',
      ].sort(),
    );
    expect(faults.join('\n')).not.toMatch(/\bshort\b/);
    expect(new ConfigInvalid(faults).message.split('\n')).toHaveLength(12);
  });

  it.each(['DATABASE_URL', 'JWT_SECRETS', 'ENCRYPTION_KEYS', 'PUBLIC_URL'])(
    'A production configuration requires %s',
    name => {
      expect(faultsOf({ ...VALID, [name]: undefined })).toEqual([`${name} is required when NODE_ENV=production`]);
      expect(faultsOf({ ...VALID, [name]: '  ' })).toEqual([`${name} is required when NODE_ENV=production`]);
    },
  );

  it.each([
    'change-me-change-me-change-me-change-me',
    'CHANGEME0123456789012345678901234567',
    'replace-this-with-32-random-characters',
    'your_secret_key_that_is_long_enough_1',
    'my-very-own-jwt-secret-for-production',
    'example-example-example-example-0123',
    'default-signing-key-0123456789-abcdef',
    'password-password-password-1234567890',
    'test-test-test-0123456789-abcdefghijk',
    'development-only-0123456789-abcdefghi',
    'insert-something-random-here-01234567',
    'a'.repeat(40),
    'abc'.repeat(20),
    '0123456789'.repeat(4).replaceAll('9', '8'),
  ])(
    'A production configuration refuses the placeholder %s as a secret or key, first or later in the list',
    placeholder => {
      for (const name of ['JWT_SECRETS', 'ENCRYPTION_KEYS'] as const) {
        for (const value of [placeholder, `${VALID[name]},${placeholder}`]) {
          const faults = faultsOf({ ...VALID, [name]: value });
          expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} holds a placeholder; .*openssl rand`))]);
          expect(faults.join()).not.toContain(placeholder);
        }
      }
    },
  );

  it('A production configuration requires https and strong hashes, and names the override', () => {
    expect(faultsOf({ ...VALID, PUBLIC_URL: 'http://a.b' })).toEqual([
      expect.stringContaining('ALLOW_INSECURE_HTTP=on'),
    ]);
    expect(faultsOf({ ...VALID, DASHBOARD_URL: 'http://a.b' })).toEqual([expect.stringContaining('DASHBOARD_URL')]);
    expect(faultsOf({ ...VALID, PUBLIC_URL: 'http://a.b', ALLOW_INSECURE_HTTP: 'on' })).toEqual([]);
    expect(faultsOf({ ...VALID, BCRYPT_COST: '11' })).toEqual([
      expect.stringContaining('BCRYPT_COST must be at least 12'),
    ]);
  });

  it('Outside production, the configuration needs no variable', () => {
    const config = loadConfig({ DATA_DIR: folder });
    expect(config).toMatchObject({
      production: false,
      port: 3000,
      publicUrl: 'http://localhost:3000',
      dashboardUrl: 'http://localhost:3000/dashboard',
      databaseUrl: null,
      trustProxy: false,
      rateLimits: RATE_LIMITS,
    });
  });

  it('Generated secrets are stored once with mode 600 and read again', () => {
    const dataDir = join(folder, 'made', 'here');
    const [first, second] = [loadConfig({ DATA_DIR: dataDir }), loadConfig({ DATA_DIR: dataDir })];
    expect(second.jwtSecrets).toEqual(first.jwtSecrets);
    expect(second.encryptionKeys).toEqual(first.encryptionKeys);
    expect(first.jwtSecrets[0]?.secret).not.toBe(first.encryptionKeys[0]?.secret);
    expect(first.jwtSecrets[0]?.secret.length).toBeGreaterThanOrEqual(48);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('Unreadable or unwritable secrets are reported without their content', () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    for (const text of ['{"jwt":"half of a secr', '{"jwt":"only one of two"}', '[]', 'null']) {
      writeFileSync(join(broken, 'secrets.json'), text);
      const faults = faultsOf({ DATA_DIR: broken });
      expect(faults).toEqual([expect.stringMatching(/^DATA_DIR holds a .*secrets\.json that cannot be read/)]);
      expect(faults.join()).not.toMatch(/half|only/);
    }
    writeFileSync(join(folder, 'file'), '');
    expect(faultsOf({ DATA_DIR: join(folder, 'file') })).toEqual([
      expect.stringMatching(/^DATA_DIR cannot keep .*: E/),
    ]);
    expect(faultsOf({ DATA_DIR: join(folder, 'file', 'below') })).toEqual([
      expect.stringMatching(/^DATA_DIR cannot keep/),
    ]);
  });

  describe('Valid variables', () => {
    const accepted: [keyof typeof VARIABLES, string, unknown][] = [
      ['PORT', '0', { port: 0 }],
      ['PORT', ' 65535 ', { port: 65535 }],
      ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
      ['PUBLIC_URL', 'https://chat.company.net/', { publicUrl: 'https://chat.company.net' }],
      ['DASHBOARD_URL', 'https://desk.company.net/app?x=1', { dashboardUrl: 'https://desk.company.net/app?x=1' }],
      ['DATABASE_URL', 'postgresql://u:p@h:5432/d', { databaseUrl: 'postgresql://u:p@h:5432/d' }],
      ['DATABASE_PREPARED', 'off', { databasePrepared: 'off' }],
      ['ALLOW_REGISTRATION', 'off', { allowRegistration: false }],
      ['ALLOW_REGISTRATION', 'true', { allowRegistration: true }],
      ['TRUST_PROXY', '0', { trustProxy: false }],
      ['TRUST_PROXY', '2', { trustProxy: 2 }],
      [
        'TRUST_PROXY',
        'loopback, 10.0.0.0/8 ,fd00::/8,::1',
        { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8', '::1'] },
      ],
      ['SMTP_URL', 'smtps://u:p@mail.company.net:465', { smtpUrl: 'smtps://u:p@mail.company.net:465' }],
      ['RATE_LIMITS', 'off', { rateLimits: null }],
      ['LOG_FORMAT', 'pretty', { logPretty: true }],
      ['LOG_FORMAT', 'json', { logPretty: false }],
      ['BCRYPT_COST', '15', { bcryptCost: 15 }],
      ['MAIL_FROM', 'support@company.net', { mailFrom: 'support@company.net' }],
      [
        'MAIL_FROM',
        'Support at Harbour <support@company.net>',
        { mailFrom: 'Support at Harbour <support@company.net>' },
      ],
      [
        'MAIL_FROM',
        '"Support, Harbour" <support@company.net>',
        { mailFrom: '"Support, Harbour" <support@company.net>' },
      ],
      ['MAIL_FROM', 'Kundendienst Köln <hilfe@köln.example>', { mailFrom: 'Kundendienst Köln <hilfe@köln.example>' }],
      ['MAIL_FROM', 'root@localhost', { mailFrom: 'root@localhost' }],
    ];
    it.each(accepted)('The configuration accepts %s=%s', (name, value, expected) => {
      expect(loadConfig({ DATA_DIR: folder, [name]: value })).toMatchObject(expected as object);
    });

    it('JWT_SECRETS may list several secrets, each with its own short key id', () => {
      const { jwtSecrets } = loadConfig({ DATA_DIR: folder, JWT_SECRETS: ` ${'n'.repeat(32)} , ${'o'.repeat(32)}` });
      expect(jwtSecrets.map(({ secret }) => secret[0])).toEqual(['n', 'o']);
      expect(new Set(jwtSecrets.map(({ id }) => id)).size).toBe(2);
      for (const { id } of jwtSecrets) expect(id).toMatch(/^[0-9a-f]{8}$/);
    });

    it('RATE_LIMITS overrides the named limits and keeps the others at their defaults', () => {
      const { rateLimits } = loadConfig({ DATA_DIR: folder, RATE_LIMITS: ' agent=6000/60 ,visitor_message=3/1,' });
      expect(rateLimits).toMatchObject({
        agent: { points: 6000, seconds: 60 },
        visitor_message: { points: 3, seconds: 1 },
      });
      expect(rateLimits?.login).toEqual(RATE_LIMITS.login);
      expect(RATE_LIMITS.agent.points).toBe(600);
    });
  });

  it('An unknown LOG_FORMAT is reported with the list of formats', () => {
    expect(faultsOf({ LOG_FORMAT: 'xml' })).toEqual(['LOG_FORMAT must be one of json, pretty']);
  });

  describe('Invalid variables', () => {
    const refused: [keyof typeof VARIABLES, string[]][] = [
      ['NODE_ENV', ['prod', 'Production']],
      ['PORT', ['-1', '65536', '3000.5', '0x10', '1e3', 'http', '3000 3001', '٣٠٠٠']],
      ['PUBLIC_URL', ['chat.company.net', 'ftp://a.b', '//a.b', 'javascript:alert(1)', 'https://']],
      ['DATABASE_URL', ['mysql://a/b', 'db.internal:5432/chat', 'localhost']],
      ['SMTP_URL', ['http://mail', 'mail.company.net']],
      ['DATABASE_PREPARED', ['yes', 'ON']],
      ['ALLOW_REGISTRATION', ['yes', '1', 'On']],
      [
        'TRUST_PROXY',
        ['-1', 'all', '10.0.0.0/33', '10.0.0', '10.0.0.0/', '::1/129', '10.0.0.0/8/8', '1.2.3.4,', '1.5', '10.0.0.0/0'],
      ],
      ['JWT_SECRETS', ['x'.repeat(31), `${'x'.repeat(32)},`, `${'x'.repeat(32)},short`]],
      ['WS_PING_INTERVAL_MS', ['0', '49', '600001']],
      ['EVENT_RETENTION_DAYS', ['0', '366']],
      ['LOG_LEVEL', ['verbose', 'INFO']],
      ['LOG_FORMAT', ['xml']],
      [
        'MAIL_FROM',
        [
          ...['Support', 'Support <>', 'support@', '@company.net', 'a b@company.net', 'a@company.net, b@company.net'],
          ...['Support <a@company.net', '<<a@company.net>>', 'Support, Harbour <a@company.net>', 'a@b@company.net'],
          ...['Support <a@company.net> more', 'a@company.net\nBcc: b@company.net', 'Team: a@company.net;', 'a@-b-'],
        ],
      ],
      [
        'RATE_LIMITS',
        [
          'agent',
          'agent=600',
          'agent=600/',
          'agent=-1/60',
          'agent=0/60',
          'agent=600/0',
          'nobody=1/60',
          'constructor=1/60',
          '__proto__=1/60',
          'agent=1/60;login=1/60',
          'on',
        ],
      ],
    ];
    it.each(refused)('The configuration refuses invalid values of %s', (name, values) => {
      for (const value of values) {
        const faults = faultsOf({ [name]: value });
        expect([value, faults.map(fault => fault.split(' ')[0])]).toEqual([value, [name]]);
      }
      expect(Object.prototype).not.toHaveProperty('points');
    });
  });
});

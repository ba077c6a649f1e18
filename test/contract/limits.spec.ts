import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RATE_LIMITS } from '../../src/config/rate-limits.js';
import { newApiKey } from '../../src/modules/api-keys/api-key.js';
import { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';
import { eventually } from '../support/eventually.js';
import type { Answer, Caller } from '../support/http.js';
import { invited, someEmail } from '../support/invites.js';
import { countsOf, race } from '../support/race.js';
import { rawRequest } from '../support/raw-http.js';
import { ticketFor } from '../support/sso.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

/** @returns the limit in the headers of a response */
function rateOf({ headers }: Pick<Answer<unknown>, 'headers'>): { limit: number; remaining: number; reset: number } {
  const read = (name: string) => Number(headers[`ratelimit-${name}`] ?? Number.NaN);
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') };
}

/** Asserts a complete 429 response of a limit of `points` in `seconds`. */
function expectLimited(answer: Answer<unknown>, points: number, seconds: number): void {
  expect([answer.status, answer.error?.code]).toEqual([429, 'rate_limited']);
  const { limit, remaining, reset } = rateOf(answer);
  expect({ limit, remaining }).toEqual({ limit: points, remaining: 0 });
  expect(reset).toBeGreaterThan(0);
  expect(reset).toBeLessThanOrEqual(seconds);
  expect(answer.headers['retry-after']).toBe(String(reset));
}

/** Headers of a trusted proxy that name the client's address, by default a random one. */
function from(address: string = [10, ...randomBytes(3)].join('.')): { 'X-Forwarded-For': string } {
  return { 'X-Forwarded-For': address };
}

describe('Size limits', () => {
  let world: World;
  let desk: Desk;
  let api: Caller;
  let path: string;
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
    api = desk.owner.api;
    path = `/v1/conversations/${(await world.conversation(await world.visitor(desk))).id}`;
  });
  afterAll(() => world.stop());

  const fieldsOf = (answer: Answer<unknown>) => answer.error?.details?.map(({ field, code }) => `${field} ${code}`);

  /** Sends a body of exactly this many bytes. Its email is invalid, so that a body that is read fails validation. */
  async function sendBody(
    path: string,
    bytes: number,
    headers: Record<string, string> = {},
  ): Promise<[number, string]> {
    const empty = '{"email":"","password":"x"}'.length;
    const body = Buffer.from(`{"email":"${'e'.repeat(bytes - empty)}","password":"x"}`);
    const answer = await rawRequest(world.app.url, {
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/json', ...headers, Connection: 'close' },
      body,
    });
    return [answer.status, (JSON.parse(answer.text) as { error: { code: string } }).error.code];
  }

  it('A public route accepts bodies up to 32 KiB, other routes up to 256 KiB; one byte more is 413', async () => {
    const signedIn = { Authorization: `Bearer ${desk.owner.token}` };
    for (const [path, kib, headers] of [
      ['/v1/auth/login', 32, {}],
      ['/v1/auth/login', 32, signedIn],
      ['/v1/contacts', 256, signedIn],
    ] as const) {
      expect([path, await sendBody(path, kib * 1024, headers)]).toEqual([path, [400, 'validation_failed']]);
      expect([path, await sendBody(path, kib * 1024 + 1, headers)]).toEqual([path, [413, 'body_too_large']]);
    }
  });

  it('The files of a workspace have 10 GiB by default', () => {
    expect(world.app.config.filesQuotaBytes).toBe(10_240 * 1024 * 1024);
  });

  it('The size limit applies to chunked bodies (413)', async () => {
    const body = Buffer.from(`{"email":"${'e'.repeat(32 * 1024)}"}`);
    const headers = { 'Content-Type': 'application/json', Connection: 'close' };
    const request = { method: 'POST', path: '/v1/auth/login', headers, body, chunked: true };
    expect((await rawRequest(world.app.url, request)).status).toBe(413);
  });

  it('A body may have 10,000 values and 32 levels; more is 400', async () => {
    const values = (count: number) => api.post('/v1/contacts', { nothing: Array.from({ length: count - 1 }, () => 1) });
    expect((await values(10_000)).status).toBe(201);
    expect((await values(10_001)).error.code).toBe('malformed_json');
    const deep = (levels: number) =>
      api.post('/v1/contacts', JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`));
    expect((await deep(32)).status).toBe(201);
    expect((await deep(33)).error.code).toBe('malformed_json');
  });

  it('A validation error lists at most 200 faults', async () => {
    const fields = Array.from({ length: 2_000 }, () => ({}));
    const answer = await api.post('/v1/channels', { name: 'x', widget_config: { pre_chat_form: { fields } } });
    expect(answer.status).toBe(400);
    expect(answer.error.details?.length).toBe(200);
  });

  it('A message has at most 20,000 characters, however many bytes they take', async () => {
    for (const sign of ['x', 'é', '💩']) {
      const sent = await api.post(`${path}/messages`, { content: sign.repeat(20_000) });
      expect([sign, sent.status]).toEqual([sign, 201]);
      expect(sent.data.content).toBe(sign.repeat(20_000));
      const more = await api.post(`${path}/messages`, { content: sign.repeat(20_001) });
      expect([sign, more.status, fieldsOf(more)]).toEqual([sign, 400, ['content too_long']]);
    }
  });

  it('Length limits count code points, including combining ones', async () => {
    const hearts = '\u2764\ufe0f';
    expect((await api.post('/v1/contacts', { name: hearts.repeat(100) })).status).toBe(201);
    expect(fieldsOf(await api.post('/v1/contacts', { name: `${hearts.repeat(100)}x` }))).toEqual(['name too_long']);
  });

  it.each(['metadata', 'custom_attributes'])('`%s` has at most 16 KiB, 50 keys and 10 levels', async name => {
    const put = (value: unknown) =>
      name === 'metadata'
        ? api.post(`${path}/messages`, { content: 'x', metadata: value })
        : api.patch(path, { [name]: value });
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_nothing, index) => [`k${index}`, 1]));
    const bytes = (count: number) => ({ a: 'x'.repeat(count - '{"a":""}'.length) });
    const levels = (count: number): unknown => JSON.parse(`${'{"a":'.repeat(count)}1${'}'.repeat(count)}`);
    for (const good of [{}, bytes(16 * 1024), { a: 'é'.repeat(8_188) }, keys(50), levels(10)]) {
      const kept = await put(good);
      expect(kept.status).toBeLessThan(300);
      expect(kept.data[name]).toEqual(good);
    }
    for (const bad of [bytes(16 * 1024 + 1), { a: 'é'.repeat(8_189) }, keys(51), levels(11), [], 'text', 1, null]) {
      expect(fieldsOf(await put(bad))).toEqual([`${name} format`]);
    }
  });

  it('A conversation has at most 20 tags of 50 characters', async () => {
    const tags = (count: number, length: number) =>
      Array.from({ length: count }, (_nothing, index) => String(index).padStart(length, 't'));
    const kept = await api.patch(path, { tags: tags(20, 50) });
    expect([kept.status, kept.data.tags]).toEqual([200, tags(20, 50)]);
    expect(fieldsOf(await api.patch(path, { tags: tags(21, 50) }))).toEqual(['tags too_many']);
    expect(fieldsOf(await api.patch(path, { tags: tags(20, 51) }))).toEqual(['tags too_long']);
    expect(fieldsOf(await api.patch(path, { tags: [''] }))).toEqual(['tags too_short']);
  });

  it('Names of all resources have at most 200 characters', async () => {
    const key = await world.apiKey(desk);
    const visitor = await world.visitor(desk);
    const requests: [string, (name: string) => Promise<Answer<unknown>>][] = [
      ['contact', name => api.post('/v1/contacts', { name })],
      ['channel', name => api.post('/v1/channels', { name })],
      ['key', name => api.post('/v1/api-keys', { name })],
      ['workspace', name => api.patch('/v1/workspace', { name })],
      ['member', name => key.post('/v1/workspace/members', { name, email: `${unique('m')}@example.com` })],
      ['profile', name => api.patch('/v1/workspace/members/me', { name })],
      ['visitor', name => world.anyone.post('/v1/widget/session', { name, widget_token: desk.widgetToken })],
      ['own name', name => visitor.api.patch('/v1/widget/contact', { name })],
    ];
    for (const [resource, setName] of requests) {
      const [kept, refused] = [await setName('n'.repeat(200)), await setName('n'.repeat(201))];
      expect([resource, kept.status < 300, fieldsOf(refused)]).toEqual([resource, true, ['name too_long']]);
    }
  });

  it('A URL has at most 2,048 characters', async () => {
    const url = (length: number) => 'https://a.example/'.padEnd(length, 'x');
    expect((await api.post('/v1/contacts', { avatar_url: url(2048) })).data.avatar_url).toBe(url(2048));
    expect(fieldsOf(await api.post('/v1/contacts', { avatar_url: url(2049) }))).toEqual(['avatar_url too_long']);
    expect((await api.patch('/v1/workspace/members/me', { avatar_url: url(2048) })).status).toBe(200);
    expect((await api.patch('/v1/workspace/members/me', { avatar_url: url(2049) })).status).toBe(400);
  });

  it('A page has 1 to 200 items, 50 by default', async () => {
    await race(51, index => api.post('/v1/contacts', { name: `Contact ${index}` }));
    expect((await api.get('/v1/contacts')).data.items).toHaveLength(50);
    for (const good of [1, 200]) expect((await api.get(`/v1/contacts?limit=${good}`)).status).toBe(200);
    for (const bad of ['0', '201', '-1', '1.5', 'all', '']) {
      expect([bad, (await api.get(`/v1/contacts?limit=${bad}`)).status]).toEqual([bad, 400]);
    }
  });
});

describe('Rate limits', () => {
  it('The default rate limits are those of the API contract', () => {
    const rates = Object.entries(RATE_LIMITS).map(([name, { points, seconds }]) => `${name} ${points}/${seconds}`);
    expect(rates).toEqual(
      expect.arrayContaining([
        'login 10/900',
        'login_email 100/3600',
        'login_address 300/300',
        'register 20/3600',
        'register_user 60/60',
        'invite_preview 60/60',
        'invites 100/3600',
        'sso_ticket 600/60',
        'sso_exchange 300/60',
        'password_reset 60/60',
        'password_forgot 5/3600',
        'password_forgot_address 60/60',
        'login_success 60/60',
        'widget_token_unknown 300/60',
        'credential_unknown 600/60',
        'refresh 60/60',
        'widget_session 300/60',
        'widget_session_contact 60/60',
        'visitor 300/60',
        'visitor_message 30/60',
        'upload 60/60',
        `upload_bytes_address ${1024 ** 3}/3600`,
        'transcript_contact 3/3600',
        'transcript_member 30/3600',
        'transcript_address 3/3600',
        'transcript_address_day 10/86400',
        'transcript_workspace 200/3600',
        'handshake 120/60',
        'frames 40/2',
        `frame_bytes ${64 * 1024}/8`,
        'search 60/60',
        'reports 30/60',
        'rating 10/3600',
        'endpoint_test 10/60',
        'webhook_replay 6/3600',
        'agent 600/60',
        'api_key 1200/60',
      ]),
    );
  });

  describe('Rate limits per credential', () => {
    let world: World;
    let desk: Desk;
    beforeAll(async () => {
      world = await World.start({
        RATE_LIMITS:
          'agent=40/60,api_key=30/60,visitor=20/60,visitor_message=5/60,sso_ticket=4/60,invites=3/3600,search=3/60',
      });
      desk = await world.desk();
    });
    afterAll(() => world.stop());

    it('The sso_ticket limit counts per API key, whatever the address', async () => {
      const [one, two] = [await world.apiKey(desk), await world.apiKey(desk)];
      const issue = (key: Caller) => key.post('/v1/auth/sso/ticket', { email: desk.owner.email });
      for (let left = 3; left >= 0; left -= 1) {
        const answer = await issue(one);
        expect([answer.status, rateOf(answer).limit, rateOf(answer).remaining]).toEqual([200, 4, left]);
      }
      expectLimited(await issue(one), 4, 60);
      expectLimited(await one.post('/v1/auth/sso/ticket', {}), 4, 60);
      expect((await issue(two)).status).toBe(200);
    });

    it('The invites limit counts per workspace, including resent links', async () => {
      const crowded = await world.desk();
      const key = await world.apiKey(crowded);
      const invite = (caller: Caller) => caller.post('/v1/workspace/invites', { email: someEmail() });
      const first = await invite(crowded.owner.api);
      expect([first.status, rateOf(first).limit, rateOf(first).remaining]).toEqual([201, 3, 2]);
      expect((await key.post(`/v1/workspace/invites/${first.data.id}/resend`)).status).toBe(200);
      expect(rateOf(await invite(key))).toMatchObject({ limit: 3, remaining: 0 });
      for (const caller of [key, crowded.owner.api]) expectLimited(await invite(caller), 3, 3600);
      expect((await invite(desk.owner.api)).status).toBe(201);
    });

    /** Sends requests until none are left, then expects the next to be limited. */
    async function exhaust(caller: Caller, path: string, points: number): Promise<void> {
      const first = rateOf(await caller.get(path));
      expect(first.limit).toBe(points);
      for (let left = first.remaining - 1; left >= 0; left -= 1) {
        const answer = await caller.get(path);
        expect([answer.status, rateOf(answer).remaining]).toEqual([200, left]);
      }
      expectLimited(await caller.get(path), points, 60);
    }

    it('The agent limit counts per member, not per address or session', async () => {
      const colleague = await world.colleague(desk);
      await exhaust(colleague.api, '/v1/workspace', 40);
      expect((await desk.owner.api.get('/v1/workspace')).status).toBe(200);
      const again = await world.anyone.post('/v1/auth/login', { email: colleague.email, password: PASSWORD });
      expect(again.status).toBe(200);
      expectLimited(await world.as(again.data.token).get('/v1/workspace'), 40, 60);
    });

    it('The search limit counts per member and per key, and no other reads', async () => {
      const [one, two] = [(await world.colleague(desk)).api, await world.apiKey(desk)];
      await exhaust(one, '/v1/search?query=parcel', 3);
      expect((await one.get('/v1/conversations')).status).toBe(200);
      await exhaust(two, '/v1/search?query=parcel', 3);
    });

    it('The api_key limit counts per key', async () => {
      const [one, two] = [await world.apiKey(desk), await world.apiKey(desk)];
      await exhaust(one, '/v1/workspace', 30);
      expect((await two.get('/v1/workspace')).status).toBe(200);
    });

    it('The visitor limit counts per contact, not per token', async () => {
      const [one, two] = [await world.visitor(desk, { external_id: 'one' }), await world.visitor(desk)];
      await exhaust(one.api, '/v1/widget/contact', 20);
      expect((await two.api.get('/v1/widget/contact')).status).toBe(200);
      expectLimited(await (await world.visitor(desk, { external_id: 'one' })).api.get('/v1/widget/contact'), 20, 60);
    });

    it('The visitor_message limit counts messages on both routes, and no reads', async () => {
      const visitor = await world.visitor(desk);
      const { id } = await world.conversation(visitor, 'One');
      const sent = [
        await visitor.api.post('/v1/widget/conversations', { message: { content: 'Two' } }),
        await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Three' }),
        await visitor.api.post(`/v1/widget/conversations/${id}/messages`, {}),
        await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Five' }),
      ];
      expect(sent.map(answer => [answer.status, rateOf(answer).limit, rateOf(answer).remaining])).toEqual([
        [200, 5, 3],
        [201, 5, 2],
        [400, 5, 1],
        [201, 5, 0],
      ]);
      expectLimited(await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Six' }), 5, 60);
      expectLimited(await visitor.api.post('/v1/widget/conversations', { message: { content: 'Six' } }), 5, 60);
      const history = await visitor.api.get(`/v1/widget/conversations/${id}/messages`);
      expect([history.status, history.data.items.length]).toEqual([200, 4]);
    });

    it('Of concurrent requests, exactly as many pass as the limit has left', async () => {
      const colleague = await world.colleague(desk);
      const answers = await race(60, () => colleague.api.get('/v1/workspace'));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 40, 429: 20 });
    });

    it('An unknown credential counts only against its address', async () => {
      const answer = await world.as('nonsense').get('/v1/workspace');
      expect([answer.status, rateOf(answer).limit]).toEqual([401, 600]);
      const missing = await world.anyone.get('/v1/workspace');
      expect([missing.status, missing.headers['ratelimit-limit']]).toEqual([401, undefined]);
    });
  });

  describe('Rate limits without a credential', () => {
    let world: World;
    let desk: Desk;
    beforeAll(async () => {
      const rates = {
        login: '3/900',
        login_email: '6/3600',
        login_address: '10/300',
        register: '4/3600',
        register_user: '3/60',
        invite_preview: '3/60',
        sso_exchange: '3/60',
        login_success: '30/60',
        password_forgot: '2/3600',
        password_forgot_address: '5/60',
        widget_token_unknown: '4/60',
        credential_unknown: '4/60',
        password_reset: '3/60',
        refresh: '3/60',
        widget_session: '4/60',
        widget_session_contact: '3/60',
        widget_config: '3/60',
      };
      const RATES = Object.entries(rates).map(([name, rate]) => `${name}=${rate}`);
      world = await World.start({ TRUST_PROXY: '1', RATE_LIMITS: RATES.join(',') });
      desk = await world.desk();
    });
    afterAll(() => world.stop());

    const login = (email: string, password: string, address = from()) =>
      world.anyone.post('/v1/auth/login', { email, password }, address);
    const WRONG = 'not the right password';

    describe('Login', () => {
      it('After three failures per email and address, a login is limited even with the right password', async () => {
        const { email } = await world.colleague(desk);
        const here = from();
        for (let failure = 1; failure <= 3; failure += 1) expect((await login(email, WRONG, here)).status).toBe(401);
        expectLimited(await login(email, WRONG, here), 3, 900);
        expectLimited(await login(email, PASSWORD, here), 3, 900);
        expectLimited(await login(` ${email.toUpperCase()} `, PASSWORD, here), 3, 900);
        expect((await login(email, PASSWORD)).status).toBe(200);
        expect((await login(desk.owner.email, PASSWORD, here)).status).toBe(200);
      });

      it('A failed login returns the failures left, and a successful one the limit of successes', async () => {
        const { email } = await world.colleague(desk);
        const here = from();
        for (let left = 2; left >= 0; left -= 1) {
          const { limit, remaining } = rateOf(await login(email, WRONG, here));
          expect([limit, remaining]).toEqual([3, left]);
        }
        expect(rateOf(await login(email, PASSWORD)).limit).toBe(30);
      });

      it('Failed logins with an unknown email are limited like those with a known one', async () => {
        const [email, here] = [`${unique('nobody')}@example.com`, from()];
        for (let failure = 1; failure <= 3; failure += 1) expect((await login(email, WRONG, here)).status).toBe(401);
        expectLimited(await login(email, WRONG, here), 3, 900);
      });

      it('Failed logins are limited per email over all addresses', async () => {
        const { email } = await world.colleague(desk);
        for (let failure = 1; failure <= 6; failure += 1) expect((await login(email, WRONG)).status).toBe(401);
        expectLimited(await login(email, WRONG), 6, 3600);
        expectLimited(await login(email, PASSWORD), 6, 3600);
      });

      it('Failed logins are limited per address over all emails', async () => {
        const here = from();
        for (let failure = 1; failure <= 10; failure += 1) {
          expect((await login(`${unique('x')}@example.com`, WRONG, here)).status).toBe(401);
        }
        expectLimited(await login(`${unique('x')}@example.com`, WRONG, here), 10, 300);
        expectLimited(await login(desk.owner.email, PASSWORD, here), 10, 300);
      });

      it('Successful logins and invalid requests do not count as failures', async () => {
        const { email } = await world.colleague(desk);
        const here = from();
        for (let time = 1; time <= 12; time += 1) {
          expect((await login(email, PASSWORD, here)).status).toBe(200);
          expect((await world.anyone.post('/v1/auth/login', { email }, here)).status).toBe(400);
        }
        expect(countsOf((await race(12, () => login(email, PASSWORD, here))).map(({ status }) => status))).toEqual({
          200: 12,
        });
      });

      it('Successful logins are limited per email over all addresses, and refused without hashing the password', async () => {
        const [busy, other] = [await world.hire(desk), await world.hire(desk)];
        for (let success = 2; success <= 30; success += 1) expect((await login(busy.email, PASSWORD)).status).toBe(200);
        const hashed = jest.spyOn(world.app.app.get(PasswordHashingService, { strict: false }), 'matches');
        expectLimited(await login(busy.email, PASSWORD), 30, 60);
        const register = { workspace_name: 'W', name: 'N', email: busy.email, password: PASSWORD };
        expectLimited(await world.anyone.post('/v1/auth/register', register, from()), 30, 60);
        const change = { old_password: PASSWORD, password: PASSWORD };
        expectLimited(await busy.api.post('/v1/auth/password', change), 30, 60);
        expect(hashed).not.toHaveBeenCalled();
        hashed.mockRestore();
        expect((await login(other.email, PASSWORD)).status).toBe(200);
      });

      it('Concurrent guesses get no more results than sequential ones', async () => {
        const { email } = await world.colleague(desk);
        const here = from();
        const guesses = await race(12, index => login(email, index === 11 ? PASSWORD : WRONG, here));
        expect(countsOf(guesses.map(({ status }) => status))).toEqual({ 401: 3, 429: 9 });
        expect(guesses[11]?.status).toBe(429);
      });

      it('Registration and password change share the limit of failed logins', async () => {
        const colleague = await world.colleague(desk);
        const { email } = colleague;
        const register = (password: string, headers: Record<string, string>) =>
          world.anyone.post('/v1/auth/register', { workspace_name: 'W', name: 'N', email, password }, headers);
        const here = from();
        for (let failure = 1; failure <= 3; failure += 1) expect((await register(WRONG, here)).status).toBe(409);
        expectLimited(await register(PASSWORD, here), 3, 900);
        const change = (old: string) =>
          colleague.api.post('/v1/auth/password', { old_password: old, password: PASSWORD });
        for (let failure = 4; failure <= 6; failure += 1) expect((await change(WRONG)).status).toBe(401);
        expectLimited(await change(PASSWORD), 6, 3600);
        expectLimited(await login(email, PASSWORD), 6, 3600);
      });
    });

    it('Registrations are limited per address', async () => {
      const here = from();
      const register = (address: Record<string, string>, password = PASSWORD) =>
        world.anyone.post(
          '/v1/auth/register',
          { workspace_name: 'W', name: 'N', email: `${unique('r')}@example.com`, password },
          address,
        );
      for (let left = 3; left >= 1; left -= 1) {
        const answer = await register(here);
        expect([answer.status, rateOf(answer).limit, rateOf(answer).remaining]).toEqual([201, 4, left]);
      }
      expect((await register(here, 'short')).status).toBe(400);
      expectLimited(await register(here), 4, 3600);
      expect((await register(from())).status).toBe(201);
    });

    it('Reset links are limited per email, known or not', async () => {
      for (const email of [desk.owner.email, `${unique('nobody')}@example.com`]) {
        const forgot = (address: string) => world.anyone.post('/v1/auth/password/forgot', { email: address }, from());
        expect(rateOf(await forgot(email))).toMatchObject({ limit: 2, remaining: 1 });
        expect(rateOf(await forgot(email.toUpperCase()))).toMatchObject({ limit: 2, remaining: 0 });
        expectLimited(await forgot(email), 2, 3600);
      }
      expect((await world.anyone.post('/v1/auth/password/forgot', { email: 'other@example.com' })).status).toBe(200);
    });

    it('Reset links are limited per address over all emails', async () => {
      const here = from();
      const forgot = (address: Record<string, string>) =>
        world.anyone.post('/v1/auth/password/forgot', { email: someEmail() }, address);
      for (let time = 1; time <= 5; time += 1) expect((await forgot(here)).status).toBe(200);
      expectLimited(await forgot(here), 5, 60);
      expect((await forgot(from())).status).toBe(200);
    });

    it('Unknown API keys and tokens are limited per address, where a known key is still served', async () => {
      const here = from();
      const key = await world.apiKey(desk);
      const request = (token: string, address = here) => world.as(token).get('/v1/workspace', address);
      for (let left = 3; left >= 0; left -= 1) {
        const answer = await request(left % 2 === 0 ? newApiKey() : unique('token'));
        expect([answer.status, answer.error.code, rateOf(answer).remaining]).toEqual([401, 'invalid_token', left]);
      }
      expectLimited(await request(newApiKey()), 4, 60);
      expect((await request(key.token ?? '')).status).toBe(200);
      expect((await request(newApiKey(), from())).status).toBe(401);
    });

    it('Invalid reset tokens are limited per address, and valid ones do not count', async () => {
      const here = from();
      const reset = (reset_token: string, address = here) =>
        world.anyone.post('/v1/auth/password/reset', { reset_token, password: PASSWORD }, address);
      const member = await world.colleague(desk);
      await world.anyone.post('/v1/auth/password/forgot', { email: member.email });
      const mail = await eventually(() => world.app.mails.find(({ to }) => to === member.email));
      expect((await reset(/reset=(\S+)/.exec(mail.text)?.[1] ?? '')).status).toBe(200);
      for (let failure = 1; failure <= 3; failure += 1) expect((await reset('rst_nothing')).status).toBe(401);
      expectLimited(await reset('rst_nothing'), 3, 60);
      expect((await reset('rst_nothing', from())).status).toBe(401);
    });

    it('Refreshes are limited per session, whatever the address', async () => {
      const { email } = await world.colleague(desk);
      const [one, two] = [(await login(email, PASSWORD)).data, (await login(email, PASSWORD)).data];
      const refresh = (refresh_token: string) => world.anyone.post('/v1/auth/refresh', { refresh_token }, from());
      for (let left = 2; left >= 0; left -= 1) {
        const answer = await refresh(one.refresh_token);
        expect([answer.status, rateOf(answer).limit, rateOf(answer).remaining]).toEqual([200, 3, left]);
      }
      expectLimited(await refresh(one.refresh_token), 3, 60);
      expect((await refresh(two.refresh_token)).status).toBe(200);
    });

    describe('Invites', () => {
      const preview = (invite_token: string, address: Record<string, string>) =>
        world.anyone.post('/v1/auth/invite-preview', { invite_token }, address);
      const register = (invite_token: string, address: Record<string, string>, password = PASSWORD) =>
        world.anyone.post('/v1/auth/register-user', { invite_token, name: 'Gina', password }, address);

      it.each([
        ['invite-preview', preview],
        ['register-user', register],
      ])(
        'Invalid invites at %s are limited per address, and then a valid one is refused, too',
        async (_route, send) => {
          const [here, there] = [from(), from()];
          const { token } = await invited(desk);
          for (let failure = 1; failure <= 3; failure += 1) expect((await send('inv_nothing', here)).status).toBe(401);
          expectLimited(await send('inv_nothing', here), 3, 60);
          expectLimited(await send(token, here), 3, 60);
          expect((await send(token, there)).status).toBeLessThan(300);
        },
      );

      it('Previews and acceptances of valid invites are not limited', async () => {
        const here = from();
        for (let time = 1; time <= 5; time += 1) {
          const { token } = await invited(desk);
          expect((await preview(token, here)).status).toBe(200);
          expect((await register(token, here)).status).toBe(201);
        }
      });

      it('Wrong passwords at an invite count against the limit of failed logins', async () => {
        const { email } = await world.colleague(await world.desk());
        const { token } = await invited(desk, { email });
        const here = from();
        expect((await login(email, WRONG, here)).status).toBe(401);
        for (let failure = 2; failure <= 3; failure += 1) expect((await register(token, here, WRONG)).status).toBe(401);
        expectLimited(await register(token, here), 3, 900);
        expectLimited(await login(email, PASSWORD, here), 3, 900);
      });
    });

    it('Invalid SSO tickets are limited per address, and valid ones do not count', async () => {
      const key = await world.apiKey(desk);
      const here = from();
      const exchange = (ticket: string, address = here) =>
        world.anyone.post('/v1/auth/sso/exchange', { ticket }, address);
      for (let time = 1; time <= 5; time += 1) {
        expect((await exchange(await ticketFor(key, desk.owner.email))).status).toBe(200);
      }
      for (let failure = 1; failure <= 3; failure += 1) expect((await exchange('sst_nothing')).status).toBe(401);
      expectLimited(await exchange('sst_nothing'), 3, 60);
      const ticket = await ticketFor(key, desk.owner.email);
      expectLimited(await exchange(ticket), 3, 60);
      expect((await exchange(ticket, from())).status).toBe(200);
    });

    describe('Widget sessions', () => {
      const session = (body: object, address: Record<string, string>) =>
        world.anyone.post('/v1/widget/session', body, address);

      it('Widget sessions are limited per widget token and address', async () => {
        const here = from();
        const [one, two] = [desk.widgetToken, (await world.channel(desk)).widget_token];
        for (let left = 3; left >= 0; left -= 1) {
          const answer = await session({ widget_token: one }, here);
          expect([answer.status, rateOf(answer).limit]).toEqual([200, left === 3 ? 3 : 4]);
        }
        expectLimited(await session({ widget_token: one }, here), 4, 60);
        expect((await session({ widget_token: two }, here)).status).toBe(200);
        expect((await session({ widget_token: one }, from())).status).toBe(200);
      });

      it('Widget sessions are limited per contact over all addresses', async () => {
        const body = { widget_token: desk.widgetToken, external_id: unique('user') };
        for (let time = 1; time <= 3; time += 1) expect((await session(body, from())).status).toBe(200);
        expectLimited(await session(body, from()), 3, 60);
        expect((await session({ ...body, external_id: unique('user') }, from())).status).toBe(200);
      });

      it('Unknown widget tokens are limited per address', async () => {
        const here = from();
        const unknown = () => session({ widget_token: `wt_${unique('unknown')}` }, here);
        for (let time = 1; time <= 4; time += 1) expect((await unknown()).status).toBe(401);
        expectLimited(await unknown(), 4, 60);
        expect((await session({ widget_token: desk.widgetToken }, from())).status).toBe(200);
      });

      it('Requests for the widget configuration are limited per address', async () => {
        const here = from();
        const config = (address: Record<string, string>) =>
          world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`, address);
        for (let left = 2; left >= 0; left -= 1) expect(rateOf(await config(here)).remaining).toBe(left);
        expectLimited(await config(here), 3, 60);
        expect((await config(from())).status).toBe(200);
      });
    });
  });

  describe('Client addresses', () => {
    it('Limits count an IPv6 /64 network as one address, and an IPv4 address the same in IPv6 notation', async () => {
      const world = await World.start({ RATE_LIMITS: 'widget_config=2/60,login_address=2/300', TRUST_PROXY: '1' });
      const desk = await world.desk();
      const at = (address: string) => ({ 'X-Forwarded-For': address });
      const config = (address: string) =>
        world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`, at(address));
      for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2']) {
        expect((await config(address)).status).toBe(200);
      }
      expectLimited(await config('2001:0db8:0001:0002::3'), 2, 60);
      expect((await config('2001:db8:1:3::1')).status).toBe(200);
      for (const address of ['203.0.113.7', '::ffff:203.0.113.7']) expect((await config(address)).status).toBe(200);
      expectLimited(await config('203.0.113.7'), 2, 60);
      const login = (address: string) =>
        world.anyone.post('/v1/auth/login', { email: someEmail(), password: 'wrong' }, at(address));
      for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2']) expect((await login(address)).status).toBe(401);
      expectLimited(await login('2001:db8:1:2::3'), 2, 300);
      await world.stop();
    });

    it('Without a trusted proxy, limits use the address of the connection and ignore X-Forwarded-For', async () => {
      const world = await World.start({ RATE_LIMITS: 'widget_config=2/60' });
      const desk = await world.desk();
      const config = () => world.anyone.get(`/v1/widget/config?widget_token=${desk.widgetToken}`, from());
      expect([(await config()).status, (await config()).status]).toEqual([200, 200]);
      expectLimited(await config(), 2, 60);
      await world.stop();
    });
  });

  it('A rate limit starts anew after its period', async () => {
    const world = await World.start({ RATE_LIMITS: 'agent=3/1' });
    const { owner } = await world.desk();
    await eventually(async () => ((await owner.api.get('/v1/workspace')).status === 429 ? true : undefined));
    await eventually(async () => ((await owner.api.get('/v1/workspace')).status === 200 ? true : undefined));
    await world.stop();
  });

  it('With RATE_LIMITS=off, responses have no RateLimit headers', async () => {
    const world = await World.start({ RATE_LIMITS: 'off' });
    const { owner } = await world.desk();
    const answer = await owner.api.get('/v1/workspace');
    expect([answer.status, answer.headers['ratelimit-limit']]).toEqual([200, undefined]);
    await world.stop();
  });

  it('With an empty RATE_LIMITS, the default of 30 visitor messages a minute applies', async () => {
    const world = await World.start({ RATE_LIMITS: '' });
    const visitor = await world.visitor(await world.desk());
    const { id } = await world.conversation(visitor);
    const answers = await race(31, index =>
      visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: `Message ${index}` }),
    );
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 29, 429: 2 });
    for (const answer of answers.filter(({ status }) => status === 429)) expectLimited(answer, 30, 60);
    await world.stop();
  });
});

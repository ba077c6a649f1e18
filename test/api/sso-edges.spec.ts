import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../src/kernel/secret.js';
import { redirectUrl } from '../../src/modules/sso/sso-ticket.js';
import type { Answer, Caller } from '../support/http.js';
import { countsOf, race } from '../support/race.js';
import { exchange, sessionsOf, ticketFor, ticketIn } from '../support/sso.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const DASHBOARD = 'https://desk.example.com/app?tenant=7';

describe('Rate limits of single sign-on', () => {
  let world: World;
  let desk: Desk;
  let key: Caller;
  beforeAll(async () => {
    const RATE_LIMITS = 'sso_ticket=12/60,sso_exchange=3/60';
    world = await World.start({ RATE_LIMITS, TRUST_PROXY: 'loopback', DASHBOARD_URL: DASHBOARD });
    desk = await world.desk();
    key = await world.apiKey(desk);
  });
  afterAll(() => world.stop());

  /** A random client address, as the trusted proxy would report it. */
  const somewhere = () => ({ 'X-Forwarded-For': [10, ...randomBytes(3)].join('.') });

  function exchangeFrom(address: Record<string, string>, ticket = `sst_${randomBytes(32).toString('base64url')}`) {
    return world.anyone.post('/v1/auth/sso/exchange', { ticket }, address);
  }

  function expectLimited(answer: Answer<unknown>): void {
    expect([answer.status, answer.error?.code]).toEqual([429, 'rate_limited']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }

  it('SSO tickets are limited per API key (429); the permission is checked before the limit, and the body after it', async () => {
    const busy = await world.apiKey(desk);
    const body = { email: desk.owner.email };
    const answers = await race(12, () => busy.post('/v1/auth/sso/ticket', body, somewhere()));
    expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 12 });
    expectLimited(await busy.post('/v1/auth/sso/ticket', body));
    expectLimited(await busy.post('/v1/auth/sso/ticket', {}));
    const browser = await busy.post('/v1/auth/sso/ticket', {}, { Origin: 'https://shop.example' });
    expect([browser.status, browser.error.code]).toEqual([403, 'browser_not_allowed']);
    expect((await key.post('/v1/auth/sso/ticket', body)).status).toBe(200);
  });

  it('The SSO exchange limit counts failures only, per address (429)', async () => {
    const [bad, good] = [somewhere(), somewhere()];
    const failures = [await exchangeFrom(bad), await exchangeFrom(bad), await exchangeFrom(bad)];
    expect(failures.map(({ status }) => status)).toEqual([401, 401, 401]);
    expectLimited(await exchangeFrom(bad));
    for (let time = 0; time < 5; time += 1) {
      expect((await exchangeFrom(good, await ticketFor(key, desk.owner.email))).status).toBe(200);
    }
  });

  it('An address over the SSO exchange limit gets 429 for a valid ticket too, and the ticket stays valid', async () => {
    const bad = somewhere();
    for (let time = 0; time < 3; time += 1) await exchangeFrom(bad);
    const ticket = await ticketFor(key, desk.owner.email);
    expectLimited(await exchangeFrom(bad, ticket));
    expect((await exchangeFrom(somewhere(), ticket)).status).toBe(200);
  });

  it('An SSO exchange among failing ones from the same address either succeeds or leaves the ticket valid', async () => {
    const address = somewhere();
    const ticket = await ticketFor(key, desk.owner.email);
    const before = await sessionsOf(world, desk.owner.memberId);
    const [mine, ...others] = await Promise.all([
      exchangeFrom(address, ticket),
      ...Array.from({ length: 10 }, () => exchangeFrom(address)),
    ]);
    expect(others.every(({ status }) => status === 401 || status === 429)).toBe(true);
    if (mine.status !== 200) {
      expectLimited(mine);
      expect((await exchangeFrom(somewhere(), ticket)).status).toBe(200);
    }
    expect(await sessionsOf(world, desk.owner.memberId)).toBe(before + 1);
  });

  it('The redirect URL of an SSO ticket keeps the query string of the dashboard URL', async () => {
    const { data } = await (await world.apiKey(desk)).post('/v1/auth/sso/ticket', { email: desk.owner.email });
    expect(data.redirect_url).toBe(`${DASHBOARD}#sso_ticket=${ticketIn(data.redirect_url)}`);
  });
});

describe('The redirect URL of an SSO ticket', () => {
  it.each([
    ['https://desk.example.com', 'https://desk.example.com#sso_ticket=sst_x'],
    ['https://desk.example.com/app/', 'https://desk.example.com/app/#sso_ticket=sst_x'],
    ['https://desk.example.com/app?a=1&b=%23', 'https://desk.example.com/app?a=1&b=%23#sso_ticket=sst_x'],
    ['https://desk.example.com/?a=1#/home#x', 'https://desk.example.com/?a=1#sso_ticket=sst_x'],
  ])('The redirect URL for %s keeps everything but the fragment, which the ticket replaces', (dashboard, expected) => {
    expect(redirectUrl(dashboard, 'sst_x')).toBe(expected);
  });
});

describe('7. "The SSO ticket travels in the URL fragment, so it is not sent to the server or written to access logs"', () => {
  const lines: string[] = [];
  const tickets: string[] = [];
  let world: World;
  let redirects: string[];
  let stored: string;

  beforeAll(async () => {
    world = await World.start({ LOG_LEVEL: 'trace' }, { log: { write: line => void lines.push(line) } });
    const desk = await world.desk();
    const key = await world.apiKey(desk);
    const issue = async (body: object) => {
      const issued = await key.post('/v1/auth/sso/ticket', { email: desk.owner.email, ...body });
      return String(issued.data.redirect_url);
    };
    redirects = [await issue({}), await issue({ channel_ids: [] }), await issue({}), await issue({})];
    tickets.push(...redirects.map(ticketIn));
    const [spent = '', narrow = '', malformed = '', misplaced = ''] = tickets;
    const statuses = [
      await exchange(world, spent),
      await exchange(world, spent),
      await exchange(world, narrow, { rotate: true }),
      await exchange(world, `${malformed}x`),
      await world.anyone.post(`/v1/auth/sso/exchange?ticket=${misplaced}`, {}),
      await world.anyone.get(`/elsewhere?sso_ticket=${misplaced}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 401, 200, 401, 400, 404]);
    // 503 while the dashboard is not built
    expect([200, 503]).toContain((await world.anyone.get(`/dashboard?sso_ticket=${misplaced}`)).status);
    const tables = await world.app.database.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    const texts = tables.map(async ({ name }) => {
      const rows = await world.app.database.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${name} t`);
      return rows.map(({ row }) => row).join('\n');
    });
    stored = (await Promise.all(texts)).join('\n');
  });
  afterAll(() => world.stop());

  const found = (text: string) => tickets.filter(ticket => text.includes(ticket.slice('sst_'.length)));

  it('"Only the hash of the ticket is stored": no table contains a ticket in plain text', () => {
    for (const ticket of tickets) expect(stored).toContain(sha256(ticket));
    expect(found(stored)).toEqual([]);
  });

  it('No log line contains an SSO ticket, at any level, wherever in the request it was sent', () => {
    expect(lines.join('')).toContain('POST /v1/auth/sso/exchange 401');
    expect(found(lines.join(''))).toEqual([]);
  });

  it('"no JWT, API key or refresh token appears in the URL": the redirect URL has the ticket in its fragment only', () => {
    for (const redirect of redirects) {
      const url = new URL(redirect);
      expect([url.search, found(`${url.origin}${url.pathname}`)]).toEqual(['', []]);
      expect(redirect).not.toMatch(/eyJ[\w-]+\.|svc_sk_/);
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { ensureWidgetBuilt } from '../support/built-clients.js';
import { checkout } from '../support/service-process.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const OWN = 'http://chat.company.net';
const SHOP = 'https://shop.example';

let world: World;
let desk: Desk;
beforeAll(async () => {
  ensureWidgetBuilt();
  world = await World.start({ PUBLIC_URL: OWN });
});
beforeEach(async () => {
  desk = await world.desk();
});
afterAll(() => world.stop());

const open = (token: string) => supertest(world.app.url).get('/chat').query({ widget_token: token });
const change = (body: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, body);

/** Sources by directive of a Content-Security-Policy. */
function policyOf({ headers }: supertest.Response): Record<string, string> {
  const policy = (headers as Record<string, string>)['content-security-policy'] ?? '';
  return Object.fromEntries(
    policy.split(/; ?/).map(directive => [directive.split(' ')[0], directive.replace(/^\S+ ?/, '')]),
  );
}

describe('The chat page', () => {
  it('A link with a widget token opens a page that boots the loader in full size.', async () => {
    await change({ widget_config: { title: 'Harbour & Pine', locale: 'de' } });
    const answer = await open(desk.widgetToken);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.text).toContain('<html lang="de">');
    expect(answer.text).toContain('<title>Harbour &amp; Pine</title>');
    expect(answer.text).toContain('interactive-widget=resizes-content');
    expect(answer.text).toContain(
      `<script async src="./widget.js" data-widget-token="${desk.widgetToken}" data-mode="page"></script>`,
    );
    expect((await supertest(world.app.url).get('/widget.js')).status).toBe(200);
  });

  it('A mail scanner that follows the link makes no contact.', async () => {
    await open(desk.widgetToken);
    expect((await desk.owner.api.get('/v1/contacts')).data.items).toEqual([]);
  });

  it('The page runs scripts of the service alone, and none that is part of the page or of a text.', async () => {
    const answer = await open(desk.widgetToken);
    expect(policyOf(answer)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': `'self' ${OWN} ws://chat.company.net`,
      'base-uri': "'none'",
      'form-action': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.text).not.toMatch(/<style|style=|<script(?! async src="\.\/widget\.js")| on\w+=/);
  });

  it('Any page may frame the chat of a channel without allowed origins, and no other page that of one with some.', async () => {
    expect(policyOf(await open(desk.widgetToken))['frame-ancestors']).toBe('*');
    await change({ allowed_origins: [SHOP, 'http://localhost:8080'] });
    const answer = await open(desk.widgetToken);
    expect(policyOf(answer)['frame-ancestors']).toBe(`'self' ${SHOP} http://localhost:8080`);
    expect(answer.headers['x-frame-options']).toBeUndefined();
  });

  it('A visitor of the chat page can write to a channel whose allowed origins do not contain the service.', async () => {
    await change({ allowed_origins: [SHOP] });
    const session = (origin: string) =>
      world.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken }, { Origin: origin });
    expect((await session(OWN)).status).toBe(200);
    expect((await session('https://elsewhere.example')).error.code).toBe('origin_not_allowed');
    const visitor = await world.visitor(desk);
    await expect(world.visitorSocket(visitor, {}, { Origin: OWN })).resolves.toBeDefined();
    await expect(world.visitorSocket(visitor, {}, { Origin: 'https://elsewhere.example' })).rejects.toThrow('403');
  });

  it.each([
    ['no token', ''],
    ['an unknown token', 'wt_00000000000000000000000000000000'],
    ['a token with markup', 'wt_"><script>alert(1)</script>'],
    ['a token with a zero byte', 'wt_\0'],
    ['a token of the length of a book', `wt_${'a'.repeat(5000)}`],
    ['a token of another kind', 'sk_00000000000000000000000000000000'],
  ])(
    'A link with %s shows a page in words with status 404, which repeats nothing of the link.',
    async (_case, token) => {
      const answer = await open(token);
      expect([answer.status, answer.headers['cache-control']]).toEqual([404, 'no-store']);
      expect(answer.text).toContain('This chat does not exist');
      expect(answer.text).not.toContain('<script');
      if (token !== '') expect(answer.text).not.toContain(token);
      expect(policyOf(answer)['script-src']).toBe("'self'");
    },
  );

  it('A link with two tokens, or an object as token, is an unknown link.', async () => {
    for (const query of [
      `widget_token=${desk.widgetToken}&widget_token=x`,
      `widget_token[a]=${desk.widgetToken}`,
      '',
    ]) {
      expect((await supertest(world.app.url).get(`/chat?${query}`)).status).toBe(404);
    }
  });

  it('The chat of a disabled or deleted channel does not exist.', async () => {
    await change({ status: 'disabled' });
    expect((await open(desk.widgetToken)).status).toBe(404);
    await change({ status: 'active' });
    expect((await open(desk.widgetToken)).status).toBe(200);
    await desk.owner.api.delete(`/v1/channels/${desk.channelId}`);
    expect((await open(desk.widgetToken)).status).toBe(404);
  });

  it('A title with markup is a title, and stays text in the page.', async () => {
    const title = `</title><script>alert(1)</script>"'`;
    await change({ widget_config: { title } });
    const { text } = await open(desk.widgetToken);
    expect(text).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(1)');
    expect(text.match(/<script/g)).toHaveLength(1);
  });

  it("The icon of the page is the channel's logo, and a page without a logo asks for no icon.", async () => {
    expect((await open(desk.widgetToken)).text).toContain('<link rel="icon" href="data:,">');
    await change({ widget_config: { theme: { logo_url: 'https://shop.example/logo.png?a=1&b=2' } } });
    const { text } = await open(desk.widgetToken);
    expect(text).toContain('<link rel="icon" href="https://shop.example/logo.png?a=1&amp;b=2">');
  });

  it('HEAD answers as GET does, without the page.', async () => {
    const answer = await supertest(world.app.url).head('/chat').query({ widget_token: desk.widgetToken });
    expect([answer.status, answer.text]).toEqual([200, undefined]);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });
});

describe('The texts of the widget in other languages', () => {
  const locales = join(checkout, 'clients/widget/locales');
  const built = join(checkout, 'clients/widget/dist/widget');

  it('Any page can read the texts of each language from the one folder of the build.', async () => {
    const folders = readdirSync(built).filter(name => name.startsWith('i18n-'));
    expect(folders).toEqual([expect.stringMatching(/^i18n-[\w-]{8}$/)]);
    for (const name of readdirSync(locales)) {
      const answer = await supertest(world.app.url).get(`/widget/${folders[0]}/${name}`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.body).toEqual(JSON.parse(readFileSync(join(locales, name), 'utf8')));
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
  });
});

describe('The limit of unknown widget tokens', () => {
  it('An address that tries many unknown tokens is refused, also when the next token exists.', async () => {
    const strict = await World.start(
      { PUBLIC_URL: OWN, RATE_LIMITS: 'widget_token_unknown=2/60' },
      { database: world.app.database },
    );
    const status = async (token: string) =>
      (await supertest(strict.app.url).get('/chat').query({ widget_token: token })).status;
    const statuses: number[] = [];
    for (const token of ['wt_1', 'wt_2', 'wt_3', desk.widgetToken]) statuses.push(await status(token));
    await strict.stop();
    expect(statuses).toEqual([404, 404, 429, 429]);
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hasChromium, startChromium } from '../support/chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { jwt } from '../support/tokens.js';
import { WidgetPage } from '../support/widget-page.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Machines of the tests may be slow. */
const PATIENCE_MS = 60_000;

let world: World;
let site: WidgetPage;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let desk: Desk;
let errors: string[];

/** Opens the chat of a new workspace in a new browser profile. */
async function openChat(settings: Json = {}, options: Json = {}): Promise<void> {
  desk = await world.desk();
  const { csat_enabled = false, ...widget_config } = settings;
  await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { csat_enabled, widget_config });
  context = await browser.newContext({ viewport: { width: 1000, height: 760 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  errors = [];
  await visit();
}

/** Opens another page with the widget in the same profile, as after a reload. */
async function visit(): Promise<void> {
  page = await context.newPage();
  page.on('pageerror', error => errors.push(error.message));
  page.on('dialog', dialog => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(site.url(desk.widgetToken));
  await page.locator('support-chat button.launcher').click();
  await page.locator('support-chat .view').waitFor();
}

const field = () => page.getByLabel('Write a message');
const log = () => page.getByRole('log');
async function write(text: string): Promise<void> {
  await field().fill(text);
  await field().press('Enter');
}
const bubble = (text: string) => log().locator('.bubble', { hasText: text });
const stored = async (): Promise<Json> => (await desk.owner.api.get('/v1/conversations')).data.items;
/** The conversation, once the service has it. */
const conversation = () => eventually<Json>(async () => (await stored())[0], PATIENCE_MS);
async function answer(content: string): Promise<void> {
  const { id } = await conversation();
  await desk.owner.api.post(`/v1/conversations/${id}/messages`, { content });
}
async function rotateIdentitySecret(): Promise<Json> {
  return (await desk.owner.api.post(`/v1/channels/${desk.channelId}/rotate-identity-secret`)).data;
}
/** Signs somebody in on the page, as a page does that knows its user. */
async function identify(externalId: string, secret: string): Promise<void> {
  const identityToken = jwt({ sub: externalId, exp: Math.floor(Date.now() / 1000) + 3600 }, secret);
  await page.evaluate(`SupportChat('identify', ${JSON.stringify({ externalId, identityToken })})`);
}
async function violations(): Promise<string[]> {
  const session = await context.newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const expression = `axe.run('support-chat', { runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} } })
    .then(({ passes, violations }) => passes.length > 5 ? violations.map(each => each.id + ' ' + each.nodes[0].html) : ['axe found nothing to check'])`;
  const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await session.detach();
  return result.value as string[];
}

(hasChromium ? describe : describe.skip)('The chat in Chromium', () => {
  beforeAll(async () => {
    world = await World.start();
    site = await WidgetPage.start(world.app.url);
    browser = await startChromium();
  }, 240_000);
  afterEach(async () => {
    await context.close();
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await site.stop();
    await world.stop();
  });

  it('A visitor and an agent talk: the message is sent, seen and answered, and a name and a time say by whom', async () => {
    await openChat();
    await write('Where is my order?');
    await bubble('Where is my order?').waitFor();
    await log().getByText('Sent').waitFor();
    const { id } = await conversation();
    await desk.owner.api.post(`/v1/conversations/${id}/read`, { seq: 1 });
    await log().getByText('Seen').waitFor();
    await answer('It is **on its way**.');
    await log().locator('strong', { hasText: 'on its way' }).waitFor();
    await log().getByText('Olivia Owner').waitFor();
    expect(await violations()).toEqual([]);
    const read = async () => (await stored())[0]['unread'].contact === 0 || undefined;
    await eventually(read, PATIENCE_MS);
  });

  it('Messages that were written offline are kept over a reload, and arrive in order once', async () => {
    await openChat();
    await write('one');
    await log().getByText('Sent').waitFor();
    await context.setOffline(true);
    for (const text of ['two', 'three', 'four']) await write(text);
    await log().getByText('Will be sent when you are back online').first().waitFor();
    await page.close();
    await context.setOffline(false);
    await visit();
    for (const text of ['one', 'two', 'three', 'four']) await bubble(text).waitFor();
    await log().getByText('Sent').waitFor();
    const { id } = await conversation();
    const { items } = (await desk.owner.api.get(`/v1/conversations/${id}/messages`)).data;
    const own = items.filter((each: Json) => each['sender_type'] === 'contact');
    expect(own.map((each: Json) => each['content'])).toEqual(['one', 'two', 'three', 'four']);
  });

  it('What is written is kept over a reload until it is sent', async () => {
    await openChat();
    await field().fill('Half a sen');
    await page.close();
    await visit();
    expect(await field().inputValue()).toBe('Half a sen');
  });

  it('Names, messages and texts of the configuration with markup are shown as text', async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    await openChat({ title: hostile, greeting: hostile });
    await write(`${hostile} [x](javascript:alert(3))`);
    await bubble('[x](javascript').waitFor();
    await answer(`agent ${hostile} **${hostile}** [y](javascript:alert(4)) \`${hostile}\``);
    await bubble(`agent ${hostile}`).waitFor();
    expect(await page.locator('support-chat .view :is(script, img)').count()).toBe(0);
    expect(await page.locator('support-chat a[href^="javascript"]').count()).toBe(0);
  });

  it('A form that the company requires is filled in after the first message, which waits for it', async () => {
    const fields = [
      { key: 'name', label: 'Your name', type: 'text', required: true },
      { key: 'order', label: 'Order', type: 'text', required: false },
    ];
    await openChat({ pre_chat_form: { enabled: true, fields } });
    await write('Hello');
    await page.getByRole('button', { name: 'Start chat' }).click();
    await page.getByText('Fill in this field.').waitFor();
    expect(await violations()).toEqual([]);
    expect(await stored()).toEqual([]);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Start chat' }).click();
    await log().getByText('Sent').waitFor();
    expect((await conversation())['contact'].name).toBe('Ada');
  });

  it('A visitor ends the chat, rates it with a comment, and can go on until it ends again', async () => {
    await openChat({ csat_enabled: true, features: { end_chat: true } });
    await write('Hello');
    await answer('Hello yourself');
    await bubble('Hello yourself').waitFor();
    await page.getByLabel('More').click();
    await page.getByRole('button', { name: 'End chat' }).click();
    await page.getByRole('radio', { name: 'Good', exact: true }).check({ force: true });
    await page.getByLabel('Tell us more').fill('Quick');
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Send rating' }).click();
    await page.getByText('Thank you for your rating').waitFor();
    expect((await stored())[0]['csat']).toMatchObject({ score: 4, comment: 'Quick' });
    await page.getByRole('button', { name: 'Start again' }).click();
    await write('One more thing');
    await bubble('One more thing').waitFor();
    await log().getByText('The chat goes on').waitFor();
    const { id } = await conversation();
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    await page.getByRole('button', { name: 'Start again' }).waitFor();
  });

  it('Another person who signs in on the page finds nothing of the former one, on the screen or in the storage', async () => {
    await openChat();
    const { identity_secret: secret } = await rotateIdentitySecret();
    await identify('ada', secret);
    await write('Secret of Ada');
    await log().getByText('Sent').waitFor();
    await field().fill('Draft of Ada');
    await identify('ben', secret);
    await page.getByText('How can we help?').waitFor();
    expect(await field().inputValue()).toBe('');
    await write('Hello from Ben');
    await log().getByText('Sent').waitFor();
    expect(await page.getByText('of Ada').count()).toBe(0);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('of Ada');
    const ids: string[] = (await stored()).map((each: Json) => each['contact_id']);
    const contacts = await Promise.all(ids.map(id => desk.owner.api.get(`/v1/contacts/${id}`)));
    expect(contacts.map(({ data }) => data.external_id as string).sort()).toEqual(['ada', 'ben']);
  });

  it('Features that are off have no button', async () => {
    await openChat({ features: { attachments: false, emoji: false, end_chat: false, csat: false, transcript: false } });
    await write('Hello');
    await log().getByText('Sent').waitFor();
    await page.getByLabel('More').click();
    await page.getByRole('button', { name: 'Turn sound off' }).waitFor();
    for (const name of ['Add an emoji', 'Attach a file', 'End chat', 'Send this chat to me by e-mail']) {
      expect(await page.getByLabel(name).or(page.getByRole('button', { name })).count()).toBe(0);
    }
  });

  it('A file is uploaded and sent with its message', async () => {
    await openChat();
    const file = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') };
    await page.getByLabel('Attach a file').setInputFiles(file);
    await page.getByText('note.txt').waitFor();
    await eventually(async () => (await page.locator('support-chat progress').count()) === 0 || undefined, PATIENCE_MS);
    await write('See the file');
    await log().getByText('note.txt').waitFor();
    await log().getByText('Sent').waitFor();
    const { id } = await conversation();
    const { items } = (await desk.owner.api.get(`/v1/conversations/${id}/messages`)).data;
    expect(items[0]['attachments'][0].name).toBe('note.txt');
  });

  it('The first screen has no accessibility violations at 320 px, in dark, without motion', async () => {
    await openChat(
      { theme: { mode: 'dark', primary_color: '#ffdd00' } },
      { viewport: { width: 320, height: 560 }, reducedMotion: 'reduce' },
    );
    expect(await violations()).toEqual([]);
    await write('A long word: ' + 'x'.repeat(300));
    await log().getByText('Sent').waitFor();
    expect(await violations()).toEqual([]);
    const scroller = "document.querySelector('support-chat').shadowRoot.querySelector('.scroll')";
    const wider = await page.evaluate(`${scroller}.scrollWidth - ${scroller}.clientWidth`);
    expect(wider).toBe(0);
  });
});

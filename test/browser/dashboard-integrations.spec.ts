import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { beginConversation, callApi } from '../support/outside.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { addMember, dialog, playSettings, pressIn, type OpenScreen } from './support/settings-play.js';
import { PATIENCE_MS } from './support/company.js';
import { TestBrowser, type People } from './support/test-browser.js';

const PRIVATE_ADDRESS = 'http://10.0.0.1/hook';
const PHONE = { width: 390, height: 844 };

let service: ChatService;
let browser: TestBrowser;
let desk: OutsideDesk;
let receiver: WebhookReceiver;

const call = (method: string, path: string, body?: unknown, token = desk.token): Promise<Json> =>
  callApi(method, `${service.url}/v1${path}`, token, body);

/** Runs a test as the owner, unless it opens a screen as another member. */
const play = (test: (open: OpenScreen, people: People) => Promise<void>, options = {}) =>
  playSettings(browser, { address: `${service.url}/dashboard/settings`, owner: desk.email }, test, options);

const becomes = <T>(read: () => Promise<T>, expected: T) =>
  eventually(async () => JSON.stringify(await read()) === JSON.stringify(expected) || undefined, PATIENCE_MS);

const showsText = (tab: AgentTab, text: string | RegExp) => tab.page.getByText(text).first().waitFor();
const link = (tab: AgentTab, name: string) => tab.page.getByRole('main').getByRole('link', { name, exact: true });

/** Reads the secret of the open dialog, which leaves no trace once it is closed. */
async function readSecret(tab: AgentTab): Promise<string> {
  const secret = await dialog(tab).getByLabel('Signing secret').inputValue();
  expect(secret).toMatch(/^whsec_\S{40,}$/);
  await tab.isAccessible('a signing secret');
  await tab.hasForgotten(secret);
  await pressIn(tab, 'Done');
  await dialog(tab).waitFor({ state: 'detached' });
  expect(await tab.page.content()).not.toContain(secret);
  return secret;
}

/** Answers every request with a status and a body. */
const answerWith = (status: number, body: string, type = 'application/json') => {
  receiver.respond = (_delivery, response) => void response.writeHead(status, { 'content-type': type }).end(body);
};

const createWebhook = (more: Json = {}) =>
  call('POST', '/webhooks', { url: receiver.url, events: ['message.*'], ...more }, desk.key);
const createBot = (more: Json = {}) =>
  call('POST', '/bots', { name: 'Parcel bot', webhook_url: receiver.url, ...more }, desk.key);

describeInChromium('Bots and webhooks in the dashboard', () => {
  beforeAll(async () => {
    [browser, service] = await Promise.all([TestBrowser.start(), ChatService.start(LOCAL_WEBHOOKS)]);
  }, 240_000);
  beforeEach(async () => {
    [desk, receiver] = await Promise.all([service.openDesk(), WebhookReceiver.start()]);
  });
  afterEach(() => receiver.stop());
  afterAll(async () => {
    await Promise.all([browser.stop(), service.stop()]);
  });

  it('An admin creates a bot after a refusal, sees its secret once, tests it and routes a channel to it.', () =>
    play(async open => {
      const admin = await open('/bots');
      await admin.page.getByRole('heading', { name: 'No bots' }).waitFor();
      await admin.isAccessible('a workspace without bots');
      await admin.press('New bot');
      await admin.sees('New bot');
      await admin.press('Create bot');
      await showsText(admin, 'Enter a name of at most 200 characters.');
      await admin.fill({ Name: 'Parcel bot', 'Address of your server': PRIVATE_ADDRESS });
      await admin.press('Create bot');
      await showsText(admin, 'This address leads to a private network, which is never called.');
      await admin.isAccessible('a refused bot');
      expect(await admin.field('Name').inputValue()).toBe('Parcel bot');
      await admin.fill({ 'Address of your server': receiver.url });
      await admin.press('Create bot');
      receiver.secrets.push(await readSecret(admin));
      await admin.sees('Parcel bot');

      answerWith(200, JSON.stringify({ messages: [{ content: 'It <b>arrives</b> tomorrow.' }] }));
      await admin.press('Send test');
      await admin.reads(/^Your server answered with 200 after \d+ ms\.$/);
      await showsText(admin, 'It <b>arrives</b> tomorrow.');
      await admin.isAccessible('a bot');

      const [{ id, name: channel }] = (await call('GET', '/channels')).items as [Json];
      await admin.page.getByRole('switch', { name: channel }).click();
      await admin.reads(`Parcel bot answers first on ${channel}.`);
      const [bot] = (await call('GET', '/bots')).items as [Json];
      expect((await call('GET', `/channels/${id}`)).routing.bot_id).toBe(bot.id);
      await beginConversation(service.url, desk);
      await receiver.find(({ body }) => body.event === 'message.created', PATIENCE_MS);
      expect(receiver.unsigned).toEqual([]);

      await admin.page.getByRole('switch', { name: channel }).click();
      await dialog(admin).getByText('go to people').waitFor();
      await pressIn(admin, 'Take off');
      await admin.reads(`People answer first on ${channel}.`);
      expect((await call('GET', `/channels/${id}`)).routing.bot_id).toBeNull();
    }));

  it('A test of a bot shows in place why its server did not answer well.', async () => {
    const bot = await createBot();
    await play(async open => {
      const admin = await open(`/bots/${bot.id}`);
      answerWith(503, 'busy');
      await admin.press('Send test');
      await admin.reads(/Your server answered with 503 after \d+ ms\. Only 200 to 299 counts as success\./);
      answerWith(200, '{"messages": "none"}');
      await admin.press('Send test');
      await admin.reads('but not in the format of an answer');
      answerWith(200, '{}');
      await admin.press('Send test');
      await admin.reads('It contained no message');
      await call('PATCH', `/bots/${bot.id}`, { webhook_url: `http://127.0.0.1:${await freePort()}/` });
      await admin.press('Send test');
      await admin.reads('Not reached: nothing answered in time, the port is closed');
      await call('PATCH', `/bots/${bot.id}`, { webhook_url: null });
      await admin.press('Send test');
      await admin.reads('There is no address yet.');
    });
  });

  it('A bot is changed without losing what was typed or the hidden query of its address, disabled and deleted.', async () => {
    const bot = await createBot({ webhook_url: `${receiver.url}?key=hidden` });
    await play(async open => {
      const admin = await open(`/bots/${bot.id}`);
      await admin.fill({ 'Seconds without an answer': '3', Description: 'Knows parcels' });
      await admin.press('Save');
      await showsText(admin, 'Enter a whole number from 5 to 600.');
      await admin.page.getByRole('link', { name: 'Profile' }).click();
      await admin.sees('Profile');
      await admin.page.getByRole('link', { name: 'Bots' }).click();
      await link(admin, 'Parcel bot').click();
      expect(await admin.field('Description').inputValue()).toBe('Knows parcels');
      expect(await admin.field('Address of your server').inputValue()).toBe(receiver.url);
      await admin.fill({ 'Seconds without an answer': '30' });
      await admin.press('Save');
      await admin.reads('Parcel bot is saved.');
      expect(await call('GET', `/bots/${bot.id}`, undefined, desk.key)).toMatchObject({
        webhook_url: `${receiver.url}?key=hidden`,
        timeout_seconds: 30,
        description: 'Knows parcels',
      });

      await admin.press('Rotate secret');
      await pressIn(admin, 'Rotate secret');
      receiver.secrets.push(await readSecret(admin));
      await admin.press('Send test');
      await receiver.until(1, PATIENCE_MS);
      expect(receiver.unsigned).toEqual([]);

      await admin.page.getByRole('switch', { name: 'Enabled' }).click();
      await pressIn(admin, 'Disable');
      await admin.reads('Parcel bot is disabled.');
      expect((await call('GET', `/bots/${bot.id}`)).status).toBe('disabled');
      await admin.page.getByRole('switch', { name: 'Enabled' }).click();
      await admin.reads('Parcel bot is enabled.');
      await admin.press('Delete bot');
      await pressIn(admin, 'Delete');
      await admin.reads('Type Parcel bot first.');
      await admin.field('To confirm, type Parcel bot').fill('Parcel bot');
      await pressIn(admin, 'Delete');
      await admin.page.getByRole('heading', { name: 'No bots' }).waitFor();
      expect((await call('GET', '/bots')).items).toEqual([]);
    });
  });

  it('An admin creates a webhook for chosen events after refusals, sees its secret once and tests it.', () =>
    play(async open => {
      const admin = await open('/webhooks');
      await admin.page.getByRole('heading', { name: 'No webhooks' }).waitFor();
      await admin.press('New webhook');
      await admin.fill({ 'Address of your server': PRIVATE_ADDRESS, Description: 'CRM' });
      await admin.page.getByRole('radio', { name: 'Only some', exact: true }).click();
      await admin.press('Create webhook');
      await showsText(admin, 'Choose at least one event.');
      await admin.page.locator('summary', { hasText: 'Messages' }).click();
      await admin.page.getByRole('checkbox', { name: 'All of these' }).check();
      await admin.page.locator('summary', { hasText: 'Contacts' }).click();
      await admin.page.getByRole('checkbox', { name: 'contact.deleted' }).check();
      await admin.page.getByRole('radio', { name: 'Only some channels' }).click();
      await admin.press('Create webhook');
      await showsText(admin, 'Choose at least one channel.');
      const channels = admin.page.getByRole('group', { name: 'Channels whose events are sent' });
      await channels.getByRole('checkbox').check();
      await admin.press('Create webhook');
      await showsText(admin, 'This address leads to a private network, which is never called.');
      await admin.isAccessible('a refused webhook');
      await admin.fill({ 'Address of your server': receiver.url });
      await admin.press('Create webhook');
      receiver.secrets.push(await readSecret(admin));
      await admin.sees('CRM');
      const [webhook] = (await call('GET', '/webhooks')).items as [Json];
      expect(webhook).toMatchObject({
        url: receiver.url,
        events: ['contact.deleted', 'message.*'],
        channel_ids: [desk.channelId],
        include_private: false,
        description: 'CRM',
      });

      answerWith(200, 'thank <you>', 'text/plain');
      await admin.press('Send test');
      await admin.reads(/^Your server answered with 200 after \d+ ms\.$/);
      await showsText(admin, 'thank <you>');
      expect(receiver.received.map(({ body }) => body.type)).toEqual(['webhook.test']);
      expect(receiver.unsigned).toEqual([]);
      answerWith(500, '');
      await admin.press('Send test');
      await admin.reads('Your server answered with 500');
      await showsText(admin, 'The answer was empty.');
      await admin.isAccessible('a webhook');
      await call('PATCH', `/webhooks/${webhook.id}`, { url: `http://127.0.0.1:${await freePort()}/` });
      await admin.press('Send test');
      await admin.reads('Not reached: nothing answered in time, the port is closed');
    }));

  it('A delivery that failed is found by its state, sent again and arrives; a replay sends it once more.', async () => {
    const webhook = await createWebhook({ description: 'CRM' });
    receiver.secrets.push(webhook.secret);
    answerWith(500, 'broken');
    await beginConversation(service.url, desk);
    await receiver.until(1, PATIENCE_MS);
    await play(async open => {
      const admin = await open('/webhooks');
      const row = admin.page.getByRole('main').getByRole('listitem').filter({ hasText: 'CRM' });
      await row.getByText(/Failing/).waitFor();
      await row.getByText(/Last attempt .*: 500/).waitFor();
      await admin.isAccessible('the list of webhooks');
      await link(admin, 'CRM').click();
      await admin.page.getByRole('switch', { name: 'Enabled' }).click();
      await pressIn(admin, 'Disable');
      await admin.reads('CRM is disabled. Nothing is sent.');
      await admin.page.getByRole('switch', { name: 'Enabled' }).click();
      await admin.reads('CRM is enabled.');
      await link(admin, 'Deliveries').click();
      await admin.field('State').selectOption('failed');
      const entry = admin.page.getByRole('main').getByRole('listitem').filter({ hasText: 'message.created' });
      await entry.getByText(/^\D.* · 500 after \d+ ms/).waitFor();
      await entry.locator('summary').click();
      await entry.getByRole('table', { name: 'Attempts' }).getByRole('cell', { name: '500' }).first().waitFor();
      await entry.getByText(receiver.received[0]!.id).waitFor();
      await admin.isAccessible('a failed delivery');
      const before = receiver.received.length;
      answerWith(200, 'ok');
      await entry.getByRole('button', { name: 'Send again now' }).click();
      await entry.getByText('Delivered').waitFor();
      expect(receiver.received).toHaveLength(before + 1);
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);

      await admin.field('Event').selectOption('message.deleted');
      await admin.page.getByRole('heading', { name: 'No such deliveries' }).waitFor();
      await admin.press('Show all');
      await entry.waitFor();
      await admin.press('Replay events');
      await admin.isAccessible('a replay');
      await dialog(admin).getByRole('radio', { name: 'Only failed ones' }).click();
      await pressIn(admin, 'Replay');
      await admin.reads('No event of this time fits.');
      await admin.field('Time').selectOption('custom');
      await admin.fill({ From: '2026-01-02T10:00', To: '2026-01-01T10:00' });
      await pressIn(admin, 'Replay');
      await showsText(admin, 'The end must be later than the beginning.');
      expect(await admin.field('From').inputValue()).toBe('2026-01-02T10:00');
      await admin.field('Time').selectOption('hour');
      await dialog(admin).getByRole('radio', { name: 'All', exact: true }).click();
      await pressIn(admin, 'Replay');
      await admin.reads('1 event is sent again.');
      await receiver.until(before + 2, PATIENCE_MS);
      expect(receiver.received.at(-1)!.id).toBe(receiver.received[0]!.id);
      await admin.press('Reload');
      await entry.first().getByText('Delivered').waitFor();
      expect(receiver.unsigned).toEqual([]);
    });
  });

  it('A webhook whose server is gone is shown as switched off with the next step, and can be enabled again.', async () => {
    const webhook = await createWebhook();
    answerWith(410, '');
    await beginConversation(service.url, desk);
    await becomes(async () => (await call('GET', `/webhooks/${webhook.id}`)).disabled_reason, 'gone');
    await play(async open => {
      const admin = await open('/webhooks');
      const { host } = new URL(receiver.url);
      const row = admin.page.getByRole('main').getByRole('listitem').filter({ hasText: host });
      await row.getByText('its server answered 410, gone').waitFor();
      await link(admin, host).click();
      await admin.reads('Switched off, because your server answered 410');
      await admin.page.getByRole('switch', { name: 'Enabled' }).click();
      await admin.page.getByText('Switched off, because').waitFor({ state: 'detached' });
      expect((await call('GET', `/webhooks/${webhook.id}`)).enabled).toBe(true);
    });
  });

  it('A webhook is changed without losing what was typed or the hidden query of its address, and deleted.', async () => {
    const webhook = await createWebhook({ url: `${receiver.url}?key=hidden`, description: 'CRM' });
    await play(async open => {
      const admin = await open(`/webhooks/${webhook.id}`);
      await admin.sees('CRM');
      await admin.fill({ Description: 'Shop' });
      await admin.page.getByRole('checkbox', { name: 'Send private notes too' }).check();
      await admin.page.route('**/v1/webhooks/*', route =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      );
      await admin.press('Save');
      await admin.reads('Not sent: the service cannot be reached.');
      await link(admin, 'Deliveries').click();
      await admin.page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
      await admin.isAccessible('no deliveries');
      await link(admin, 'Settings').click();
      expect(await admin.field('Description').inputValue()).toBe('Shop');
      expect(await admin.page.getByRole('checkbox', { name: 'Send private notes too' }).isChecked()).toBe(true);
      await admin.page.unroute('**/v1/webhooks/*');
      await admin.press('Save');
      await admin.reads('Shop is saved.');
      expect(await call('GET', `/webhooks/${webhook.id}`, undefined, desk.key)).toMatchObject({
        url: `${receiver.url}?key=hidden`,
        description: 'Shop',
        include_private: true,
        events: ['message.*'],
      });

      await admin.press('Rotate secret');
      await pressIn(admin, 'Rotate secret');
      const secret = await readSecret(admin);
      for (const [index, valid] of [webhook.secret as string, secret].entries()) {
        receiver.secrets.splice(0, 1, valid);
        await admin.press('Send test');
        await receiver.until(index + 1, PATIENCE_MS);
        await admin.reads(/^Your server answered with 200/);
      }
      expect(receiver.unsigned).toEqual([]);

      const { host } = new URL(receiver.url);
      await admin.press('Delete webhook');
      await admin.field(`To confirm, type ${host}`).fill(host);
      await pressIn(admin, 'Delete');
      await admin.page.getByRole('heading', { name: 'No webhooks' }).waitFor();
      expect((await call('GET', '/webhooks')).items).toEqual([]);
      await admin.page.goto(`${service.url}/dashboard/settings/webhooks/${webhook.id}`);
      await admin.sees('This setting does not exist');
      await admin.page.locator('.nothing').getByRole('link', { name: 'Webhooks' }).click();
      await admin.sees('Webhooks');
    });
  });

  it('An agent and an admin of one channel read bots, change none, and have no webhooks.', async () => {
    const [bot, webhook] = await Promise.all([createBot({ description: 'Knows parcels' }), createWebhook()]);
    const people = [
      await addMember(service.url, desk, 'Ana Agent', 'agent'),
      await addMember(service.url, desk, 'Nora Narrow', 'admin', [desk.channelId]),
    ];
    await play(async open => {
      for (const { email } of people) {
        const tab = await open('/bots', email);
        await tab.page.getByText('Only an owner or admin of all channels can change this.').waitFor();
        await link(tab, 'Parcel bot').click();
        await tab.page.getByText('Knows parcels').waitFor();
        const main = tab.page.getByRole('main');
        expect(await main.locator('button, input, textarea, select').count()).toBe(0);
        await tab.isAccessible('a bot to read');
        await tab.page.goto(`${service.url}/dashboard/settings/bots/new`);
        await tab.sees('Bots');
        await link(tab, 'Parcel bot').waitFor();
        expect(await tab.page.getByRole('button', { name: 'New bot' }).count()).toBe(0);
        expect(await tab.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
        for (const path of ['', '/new', `/${webhook.id}`, `/${webhook.id}/deliveries`]) {
          await tab.page.goto(`${service.url}/dashboard/settings/webhooks${path}`);
          await tab.sees('This setting does not exist');
        }
      }
      expect((await call('GET', `/bots/${bot.id}`)).status).toBe('enabled');
    });
  });

  it('On a phone and in German, with an address of 200 characters, no screen of them is cut off.', async () => {
    const url = `${receiver.url}/${'a'.repeat(170)}`;
    const [bot, webhook] = await Promise.all([createBot({ webhook_url: url }), createWebhook({ url })]);
    await beginConversation(service.url, desk);
    await receiver.until(1, PATIENCE_MS);
    await browser.run(
      async people => {
        const tab = await AgentTab.open(people, `${service.url}/dashboard/settings/bots`);
        await tab.signInInGerman(desk.email);
        await tab.sees('Bots');
        for (const [path, heading] of [
          ['bots/new', 'Neuer Bot'],
          [`bots/${bot.id}`, 'Parcel bot'],
          ['webhooks', 'Webhooks'],
          ['webhooks/new', 'Neuer Webhook'],
          [`webhooks/${webhook.id}`, new URL(receiver.url).host],
          [`webhooks/${webhook.id}/deliveries`, new URL(receiver.url).host],
        ] as const) {
          await tab.page.goto(`${service.url}/dashboard/settings/${path}`);
          await tab.sees(heading);
          for (const group of await tab.page.locator('summary').all()) await group.click();
          expect([path, await tab.page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
            path,
            PHONE.width,
          ]);
        }
        expect(tab.errors).toEqual([]);
      },
      { viewport: PHONE, locale: 'de-DE' },
    );
  });
});

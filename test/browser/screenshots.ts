import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { WebSocket } from 'ws';
import type { Json } from '../support/json.js';
import { callApi } from '../support/outside.js';
import { checkout } from '../support/service-process.js';
import { ChatService } from './support/chat-service.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { DemoProcess } from './support/demo-process.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

/** `npm run screenshots`: takes the pictures of the documents, of the built service and the built widget in Chromium. */
const FOLDER = join(checkout, 'docs/images');

/** Wide enough for the panel to stand beside the launcher. */
const DESKTOP = { viewport: { width: 500, height: 788 }, deviceScaleFactor: 1.5 };
/** The panel with its margins. */
const PANEL = { x: 76, y: 0, width: 424, height: 788 };
const PHONE = { viewport: { width: 390, height: 788 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };
const DARK = { colorScheme: 'dark' as const };

const SHOP = { title: 'Harbour & Pine', greeting: 'Hello! Ask us anything: a parcel, a size, a voucher.' };
const GREEN = { primary_color: '#0b6e4f' };

const PARCEL = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">
  <rect width="800" height="600" fill="#d9cbb8"/><rect y="430" width="800" height="170" fill="#b79f83"/>
  <path d="M230 250l170-70 190 60v210l-180 70-180-80z" fill="#c08d55"/><path d="M230 250l180 70v200l-180-80z" fill="#a97843"/>
  <path d="M230 250l170-70 190 60-180 80z" fill="#d7a56b"/><path d="M310 215l185 65v60l-30 12v-62l-185-68z" fill="#eadcc2"/>
  <path d="M520 420l60-110 10 30-25 40 25 10z" fill="#5b4326"/>
</svg>`;

interface Scene {
  company: Company;
  visitor: Visitor;
  setOffline(isOffline: boolean): Promise<void>;
}

interface Settings {
  channel?: Json;
  /** Nobody is online. */
  isAway?: boolean;
  context?: BrowserContextOptions;
  clip?: typeof PANEL;
  /** Options of the widget, as code. */
  boot?: string;
}

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

/** Opens a company's page, plays the scene, and keeps a picture of its end. */
async function picture(name: string, settings: Settings, play: (scene: Scene) => Promise<void>): Promise<void> {
  const { channel, isAway } = settings;
  const context: BrowserContextOptions = settings.context ?? DESKTOP;
  const clip = settings.clip ?? (context.viewport === DESKTOP.viewport ? PANEL : undefined);
  await browser.run(
    async people => {
      const { widget_config, ...others } = channel ?? {};
      const config = { ...SHOP, ...widget_config, theme: { ...GREEN, ...widget_config?.theme } };
      const company = await Company.open(service, { ...others, widget_config: config });
      await company.call('PATCH', '/v1/workspace/members/me', { name: 'Olivia', availability: 'online' });
      const socket = isAway ? undefined : await agentSocket(company);
      const head = `<meta name="viewport" content="width=device-width, initial-scale=1"><style>body { margin: 0; background: ${context.colorScheme ? '#08090b' : '#e9ecef'} } h1 { display: none }</style>
        <script>
          window.SupportChat = function () { (SupportChat.q ||= []).push(arguments) };
          SupportChat('boot', { ${settings.boot ?? ''} });
        </script>`;
      const visitor = await Visitor.arrive(
        people,
        site.publish({ head, body: snippet(service.url, company.widgetToken) }),
      );
      await play({ company, visitor, setOffline: async value => (await people.profile()).setOffline(value) });
      await visitor.page.evaluate(() => document.fonts.ready);
      await save(name, await visitor.page.screenshot({ ...(clip && { clip }), animations: 'disabled', caret: 'hide' }));
      socket?.close();
    },
    { locale: 'en-GB', ...context },
  );
}

async function save(name: string, png: Buffer): Promise<void> {
  await sharp(png)
    .webp({ quality: 86, effort: 6 })
    .toFile(join(FOLDER, `${name}.webp`));
}

async function agentSocket({ desk }: Company): Promise<WebSocket> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws/agent?token=${desk.token}`);
  await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
  return socket;
}

async function converse({ company, visitor }: Scene): Promise<void> {
  await visitor.open();
  await visitor.write('Hi, the Fellside boots in 42 are too tight. Can I swap them?');
  await visitor.sent();
  const { id } = await company.conversation();
  await company.call('POST', `/v1/conversations/${id}/take`);
  await company.answer('Of course. Worn indoors is fine as long as the soles are clean.');
  await company.answer('The **43** is in stock in brown. Shall I send it today?');
  await visitor.reads('Shall I send it today?');
  await visitor.write('Yes please, that would be great.');
  await visitor.sent();
  await company.call('POST', `/v1/conversations/${id}/read`, { seq: 200 });
  await visitor.log.getByText('Seen').waitFor();
}

describe('The pictures of the documents', () => {
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('The shop of the demo is shown with a conversation.', async () => {
    const demo = await DemoProcess.start();
    try {
      const address = await demo.address();
      await browser.run(
        async people => {
          const visitor = await Visitor.arrive(people, address);
          await visitor.open();
          await visitor.write('Hello, where is my parcel?');
          await visitor.reads('it sits in the Leeds depot');
          await visitor.write('Oh! It is flat 4B.');
          await visitor.reads('I have passed it on');
          await save('shop', await visitor.page.screenshot({ animations: 'disabled', caret: 'hide' }));
        },
        { viewport: { width: 1200, height: 780 }, deviceScaleFactor: 1.5, locale: 'en-GB' },
      );
    } finally {
      await demo.stop();
    }
  }, 300_000);

  it('The greeting stands beside the launcher.', () => {
    const clip = { x: 0, y: 660, width: 500, height: 128 };
    return picture('greeting', { clip }, ({ visitor }) =>
      visitor.page.locator('support-chat .welcome').getByText('Ask us').waitFor(),
    );
  });

  it('The first screen shows the greeting.', () =>
    picture('first-screen', {}, async ({ visitor }) => {
      await visitor.open();
      await visitor.page.getByText('We are online').waitFor();
    }));

  it.each<[string, Settings]>([
    ['conversation', {}],
    ['dark', { context: { ...DESKTOP, ...DARK } }],
    ['phone', { context: PHONE }],
    ['yellow', { channel: { widget_config: { theme: { primary_color: '#ffd400' } } } }],
  ])('A conversation is shown: %s.', (name, settings) => picture(name, settings, converse));

  it('A conversation is shown from right to left.', () =>
    picture(
      'right-to-left',
      {
        boot: `locale: 'ar', position: 'left'`,
        channel: { widget_config: { title: 'الميناء والصنوبر', greeting: 'مرحبا! كيف يمكننا مساعدتك؟' } },
        clip: { ...PANEL, x: 0 },
      },
      async ({ company, visitor }) => {
        await visitor.open();
        await visitor.write('مرحبا، أين طردي؟');
        await company.answer('صباح الخير! سأتحقق من ذلك حالا. رقم التتبع هو HP-20418.');
        await visitor.reads('صباح الخير');
      },
    ));

  it('Files are shown as pictures and as names.', () =>
    picture('attachments', {}, async ({ visitor, company }) => {
      await visitor.open();
      const png = await sharp(Buffer.from(PARCEL)).png().toBuffer();
      await visitor.page.getByLabel('Attach a file').setInputFiles([
        { name: 'parcel.png', mimeType: 'image/png', buffer: png },
        { name: 'Order HP-20418.txt', mimeType: 'text/plain', buffer: Buffer.from('Harbour lamp\n'.repeat(400)) },
      ]);
      await visitor.page.locator('support-chat .files progress').first().waitFor({ state: 'detached' });
      await visitor.page.locator('support-chat .send[aria-disabled=false]').waitFor();
      await visitor.write('The lamp came like this. The order is attached.');
      await visitor.sent();
      await company.answer('Oh no, I am sorry. A new one goes out tonight.');
      await visitor.reads('goes out tonight');
      await visitor.page.waitForFunction(() =>
        [...document.querySelector('support-chat')!.shadowRoot!.querySelectorAll('img')].every(
          ({ complete }) => complete,
        ),
      );
    }));

  it('A bot answers first.', () =>
    picture('bot', {}, async ({ company, visitor }) => {
      const api = (method: string, path: string, body: Json) =>
        callApi(method, `${service.url}${path}`, company.desk.key, body);
      const { id: bot_id } = await api('POST', '/v1/bots', { name: 'Robin' });
      await api('PATCH', `/v1/channels/${company.desk.channelId}`, { routing: { bot_id } });
      await visitor.open();
      await visitor.write('How do I pause my coffee subscription?');
      const { id } = await company.conversation();
      const content = `You can pause it yourself:\n\n1. Open **Account**, then **Subscriptions**\n2. Choose *Pause* and a date\n\nOr tell me the month, and I do it for you.`;
      await api('POST', `/v1/conversations/${id}/messages`, { bot_id, content });
      await visitor.reads('You can pause it yourself');
      await visitor.page.getByText('You are talking to a bot').waitFor();
    }));

  it('Messages that were written offline wait.', () =>
    picture('offline', {}, async ({ visitor, company, setOffline }) => {
      await visitor.open();
      await visitor.write('Is the Harbour lamp dimmable?');
      await visitor.sent();
      await company.answer('With a dimmer in the wall, yes.');
      await visitor.reads('With a dimmer');
      await setOffline(true);
      await visitor.write('Great. I take two of them.');
      await visitor.log.getByText('Will be sent when you are back online').waitFor();
    }));

  it('Nobody is there: the visitor learns until when, and can leave an address.', () => {
    const hours = { mon: [{ from: '09:00', to: '09:01' }] };
    const channel = {
      business_hours: hours,
      widget_config: { away_message: 'Thank you. We are away and answer on Monday, here and by e-mail.' },
    };
    return picture('away', { channel, isAway: true }, async ({ visitor }) => {
      await visitor.open();
      await visitor.write('Do you ship to France?');
      await visitor.reads('We are away');
      await visitor.page.getByText('Where can we send the answer?').waitFor();
    });
  });

  it('A form asks for what the company needs first.', () => {
    const fields = [
      { key: 'name', label: 'Your name', type: 'text', required: true },
      { key: 'email', label: 'E-mail address', type: 'email', required: true },
      { key: 'topic', label: 'What is it about?', type: 'select', required: false, options: ['An order', 'A product'] },
    ];
    return picture(
      'form',
      { channel: { widget_config: { pre_chat_form: { enabled: true, fields } } } },
      async scene => {
        await scene.visitor.open();
        await scene.visitor.write('Hello, I have a question about an order.');
        await scene.visitor.button('Start chat').waitFor();
      },
    );
  });

  it('The visitor rates a chat that has ended.', () =>
    picture('rating', { channel: { csat_enabled: true } }, async ({ company, visitor }) => {
      await visitor.open();
      await visitor.write('Does the Moor lamp take a normal bulb?');
      await company.answer('It does: E27, up to 60 W.');
      await visitor.reads('E27');
      await company.resolve();
      await visitor.page.getByRole('radio', { name: 'Very good', exact: true }).check({ force: true });
      await visitor.button('Send rating').waitFor();
      expect(visitor.tab.errors).toEqual([]);
    }));
});

import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import sharp from 'sharp';
import { AgentClient, ServerClient, VisitorClient, type VisitorSocket } from '../../clients/sdk/src/index.js';
import { callApi, type OutsideDesk } from '../support/outside.js';
import { checkout } from '../support/service-process.js';
import { PASSWORD } from '../support/unique.js';
import { AgentInbox } from './support/agent-inbox.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { TestBrowser } from './support/test-browser.js';

/** `npm run screenshots`: takes the pictures of the dashboard for the documents. */
const FOLDER = join(checkout, 'docs/images');
const DESKTOP = { viewport: { width: 1440, height: 860 }, deviceScaleFactor: 1.25 };
const PHONE = { viewport: { width: 390, height: 788 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };

const QUESTIONS: [name: string, text: string][] = [
  ['Priya Nair', 'Do you ship to France, and how long does it take?'],
  ['Tom Becker', 'The lamp flickers when I dim it. Is that normal?'],
  ['Ines Duarte', 'I typed the wrong house number. Can you still change it?'],
  ['Hugo Lambert', 'Can I get an invoice with our VAT number?'],
  ['Grace Kim', 'Is the Fellside jacket warm enough for Norway in March?'],
  ['Emre Yılmaz', 'My voucher WINTER10 is not accepted.'],
  ['Chloé Martin', 'One of the two mugs arrived broken.'],
  ['Ben Ito', 'How do I pause my coffee subscription?'],
  ['Anna Berg', 'Hi, the Fellside boots in 42 are too tight. Can I swap them?'],
];

let service: ChatService;
let browser: TestBrowser;
let desk: OutsideDesk;
let anna: string;
/** The visitor on the pictures is online. */
let visitorSocket: VisitorSocket;

/** Fills the desk of a shop. */
async function fill(): Promise<VisitorSocket> {
  const server = new ServerClient({ baseUrl: service.url, apiKey: desk.key });
  const olivia = new AgentClient({ baseUrl: service.url });
  await olivia.login({ email: desk.email, password: PASSWORD });
  await olivia.members.updateMe({ name: 'Olivia Hart', availability: 'online' });
  await callApi('PATCH', `${service.url}/v1/workspace`, desk.token, { name: 'Harbour & Pine' });
  const ids: string[] = [];
  let visitor: VisitorClient | undefined;
  for (const [name, text] of QUESTIONS) {
    visitor = await VisitorClient.start({ baseUrl: service.url, widgetToken: desk.widgetToken, name });
    ids.push((await visitor.startConversation(text)).conversation.id);
  }
  anna = ids.at(-1)!;
  const live = visitor!.live({ conversationId: anna });
  await live.open();
  await server.conversations.update(anna, {
    tags: ['exchange', 'vip'],
    custom_attributes: { order: 'HP-20418', plan: 'gold' },
  });
  await server.conversations.update(ids[6]!, { priority: 'high', tags: ['damage'] });
  await server.conversations.update(ids[1]!, { tags: ['lamp'] });
  await olivia.conversations.take(anna);
  await olivia.conversations.send(anna, 'Of course. Worn indoors is fine as long as the soles are clean.');
  await olivia.conversations.send(anna, { content: 'Gold customer: the return is free for her.', private: true });
  await olivia.conversations.send(anna, 'The **43** is in stock in brown. Shall I send it today?');
  await visitor!.send(anna, 'Yes please, that would be great.');
  return live;
}

async function picture(
  name: string,
  options: BrowserContextOptions,
  path: string,
  play: (inbox: AgentInbox) => Promise<void>,
): Promise<void> {
  await browser.run(
    async people => {
      const tab = await AgentTab.open(people, `${service.url}/dashboard${path}`);
      await tab.signIn(desk.email);
      const inbox = new AgentInbox(tab);
      await play(inbox);
      await tab.page.evaluate(() => document.fonts.ready);
      const png = await tab.page.screenshot({ animations: 'disabled', caret: 'hide' });
      await sharp(png)
        .webp({ quality: 84, effort: 6 })
        .toFile(join(FOLDER, `${name}.webp`));
    },
    { locale: 'en-GB', ...options },
  );
}

describe('The pictures of the dashboard', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([ChatService.start(), TestBrowser.start()]);
    desk = await service.openDesk();
    visitorSocket = await fill();
  }, 240_000);
  afterAll(() => {
    visitorSocket.close();
    return Promise.all([browser.stop(), service.stop()]);
  });

  it('The inbox is shown with a conversation.', () =>
    picture('dashboard', DESKTOP, `/inbox/open/${anna}`, async inbox => {
      await inbox.reads('Yes please, that would be great.');
      await inbox.reply.pressSequentially('Done: it leaves tonight. ');
    }));

  it('A phone shows the conversation.', () =>
    picture('dashboard-phone', PHONE, `/inbox/open/${anna}`, inbox => inbox.reads('Yes please, that would be great.')));

  it('The appearance of a channel is shown with its preview.', () =>
    picture('dashboard-channel', DESKTOP, `/settings/channels/${desk.channelId}/appearance`, async ({ page }) => {
      await page.frameLocator('iframe[title="Preview"]').locator('support-chat dialog[open]').waitFor();
    }));
});

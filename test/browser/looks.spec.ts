import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import type {} from '../../clients/widget/src/api.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import type { Json } from '../support/json.js';
import { ChatService } from './support/chat-service.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

/** A picture that is wider than the panel. */
const WIDE = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600"/></svg>`;

function play(channel: Json, test: (scene: { company: Company; visitor: Visitor }) => Promise<void>) {
  return browser.run(
    async people => {
      const company = await Company.open(service, channel);
      const visitor = await Visitor.arrive(people, site.publish({ body: snippet(service.url, company.widgetToken) }));
      await test({ company, visitor });
    },
    { viewport: { width: 1000, height: 760 } },
  );
}

async function edges(element: Locator): Promise<[number, number]> {
  const box = (await element.boundingBox())!;
  return [Math.round(box.x), Math.round(box.x + box.width)];
}

describeInChromium('The look of the chat', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('The badge counts unread messages while the panel is closed, and is not shown while it is open.', () =>
    play({}, async ({ company, visitor }) => {
      const badge = visitor.page.locator('support-chat .badge');
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      await visitor.page.evaluate(() => {
        const count = document.querySelector('support-chat')!.shadowRoot!.querySelector('.badge') as HTMLElement;
        const shown = ((window as unknown as { shown: string[] }).shown = []) as string[];
        new MutationObserver(() => !count.hidden && shown.push(count.textContent)).observe(count, {
          attributes: true,
          childList: true,
        });
      });
      await company.answer('Hello yourself');
      await visitor.reads('Hello yourself');
      await visitor.page.waitForFunction(() => window.SupportChat?.state.unread === 0);
      expect(await visitor.page.evaluate(() => (window as unknown as { shown: string[] }).shown)).toEqual([]);
      await visitor.call('close');
      await company.answer('Are you there?');
      await badge.getByText('1').waitFor();
      await visitor.open();
      await badge.waitFor({ state: 'hidden' });
    }));

  it('An answer that overtakes the response to the first message is not marked as new.', () =>
    play({ widget_config: { away_message: 'We are away' }, business_hours: {} }, async ({ visitor }) => {
      await visitor.open();
      await visitor.page.route('**/v1/widget/conversations', async route => {
        const answered = visitor.page.evaluate(
          () => new Promise<void>(resolve => window.SupportChat!.on('message', () => resolve())),
        );
        const response = await route.fetch();
        await answered;
        await route.fulfill({ response });
      });
      await visitor.write('Hello');
      await visitor.reads('We are away');
      expect(await visitor.log.locator('.line.new').count()).toBe(0);
    }));

  it('The title stands above the greeting, and an own picture ends where own messages end.', () =>
    play({}, async ({ visitor }) => {
      await visitor.open();
      const [title] = await edges(visitor.page.locator('support-chat .titles h2'));
      const [greeting] = await edges(visitor.page.locator('support-chat p.greeting'));
      expect(title).toBe(greeting);
      const file = { name: 'wide.png', mimeType: 'image/png', buffer: await sharp(Buffer.from(WIDE)).png().toBuffer() };
      await visitor.page.getByLabel('Attach a file').setInputFiles(file);
      await visitor.page.locator('support-chat .send[aria-disabled=false]').waitFor();
      await visitor.write('A picture');
      await visitor.sent();
      const [, picture] = await edges(visitor.log.locator('.picture img'));
      const [, bubble] = await edges(visitor.bubble('A picture'));
      expect(picture).toBe(bubble);
    }));
});

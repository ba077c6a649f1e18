import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { ResumingListener } from '../support/outside.js';
import { isReadWhole } from './support/accessibility.js';
import { ChatService } from './support/chat-service.js';
import { Company, PATIENCE_MS } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { controlsOutOfReach, cutOffTexts } from './support/reach.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

const DESKTOP = { viewport: { width: 1000, height: 760 } };
const FORM = {
  enabled: true,
  fields: [
    { key: 'name', label: 'Your name', type: 'text', required: true },
    { key: 'email', label: 'E-mail', type: 'email', required: true },
    { key: 'topic', label: 'Topic', type: 'select', required: false, options: ['Order', 'Return'] },
    { key: 'news', label: 'Send me news', type: 'checkbox', required: false },
  ],
};
const ALL_FEATURES = { csat_enabled: true, widget_config: { features: { end_chat: true } } };

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

interface Scene {
  company: Company;
  /** Has the page before it, and the chat closed. */
  visitor: Visitor;
  setOffline(isOffline: boolean): Promise<void>;
  /** Checks a state in light and dark. */
  check(state: string): Promise<void>;
}

function play(channel: Json, test: (scene: Scene) => Promise<void>, options: BrowserContextOptions = DESKTOP) {
  return browser.run(async people => {
    const company = await Company.open(service, channel);
    const visitor = await Visitor.arrive(people, site.publish({ body: snippet(service.url, company.widgetToken) }));
    const check = async (state: string): Promise<void> => {
      for (const mode of ['dark', 'light'] as const) {
        await visitor.call('setTheme', mode);
        await visitor.settle();
        expect([state, mode, await visitor.violations()]).toEqual([state, mode, []]);
      }
    };
    const setOffline = async (isOffline: boolean) => (await people.profile()).setOffline(isOffline);
    await test({ company, visitor, setOffline, check });
  }, options);
}

/** Sends a message of the visitor, gets an answer, and waits until it is read. */
async function talk({ company, visitor }: Pick<Scene, 'company' | 'visitor'>): Promise<void> {
  await visitor.write('Where is my order?');
  await company.answer('It is **on its way**: https://carrier.example/42');
  await visitor.reads('It is on its way');
}

describeInChromium('A visitor who needs more than a mouse', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('A chat that begins violates no accessibility rule, in light and dark.', () =>
    play(ALL_FEATURES, async scene => {
      const { visitor, check } = scene;
      await check('closed');
      await visitor.open();
      await check('open and empty');
      await visitor.button('Add an emoji').click();
      await check('emoji');
      await visitor.page.keyboard.press('Escape');
      await talk(scene);
      await check('conversation');
      await visitor.button('More').click();
      await check('menu');
    }));

  it('A chat with files, without a network and at its end violates no accessibility rule, in light and dark.', () =>
    play(ALL_FEATURES, async scene => {
      const { company, visitor, setOffline, check } = scene;
      await visitor.open();
      await talk(scene);
      const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') };
      const program = { name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ\0') };
      await visitor.page.getByLabel('Attach a file').setInputFiles([note, program]);
      await visitor.page.getByText('setup.exe has a type that is not accepted here.').waitFor();
      await check('attachments');
      await visitor.button('Remove setup.exe').click();
      await visitor.write('See the note');
      await visitor.log.getByText('note.txt').waitFor();
      await visitor.button('Back').click();
      await visitor.page.getByText('Your chats').waitFor();
      await check('list of conversations');
      await visitor.button('See the note').click();
      await setOffline(true);
      await visitor.write('Are you there?');
      await visitor.log.getByText('Will be sent when you are back online').waitFor();
      await check('offline');
      await setOffline(false);
      await visitor.sent();
      await company.resolve();
      await visitor.button('Start again').waitFor();
      await visitor.page.getByRole('radio', { name: 'Good', exact: true }).check({ force: true });
      await check('ended');
    }));

  it('Forms and failures violate no accessibility rule, in light and dark.', () =>
    play({ widget_config: { pre_chat_form: FORM } }, async ({ visitor, check }) => {
      await visitor.open();
      await visitor.write('Hello');
      await visitor.button('Start chat').click();
      await visitor.page.getByText('Fill in this field.').first().waitFor();
      await check('form with errors');
      await visitor.page.getByLabel('Your name').fill('Ada');
      await visitor.page.getByLabel('E-mail').fill('ada@example.com');
      await visitor.button('Start chat').click();
      await visitor.sent();
      await check('away');
      await visitor.page.route('**/messages', route => route.fulfill({ status: 422, json: { ok: false, error: {} } }));
      await visitor.write('This one fails');
      await visitor.button('Try again').waitFor();
      await check('failed');
    }));

  it('A visitor chats with the keyboard alone, and never loses the focus.', () =>
    play({ ...ALL_FEATURES, widget_config: { ...ALL_FEATURES.widget_config, pre_chat_form: FORM } }, async scene => {
      const { company, visitor } = scene;
      const { page } = visitor;
      const press = async (...keys: string[]): Promise<void> => {
        for (const key of keys) await page.keyboard.press(key);
      };
      /** Moves on until something has the focus. */
      const tabTo = (name: string, key = 'Tab') =>
        eventually(async () => {
          if ((await visitor.focused()) === name) return true;
          await press(key);
          return undefined;
        }, PATIENCE_MS);
      const hasFocus = (name: string) =>
        eventually(
          async () => ((await visitor.focused()) === name ? true : undefined),
          PATIENCE_MS,
          () => visitor.focused(),
        );

      await tabTo('Chat');
      await press('Enter');
      await hasFocus('Write a message');
      await page.keyboard.type('Hello ');
      await tabTo('Add an emoji');
      await press('Enter');
      await hasFocus('😀');
      await press('ArrowRight', 'ArrowDown', 'Enter');
      await hasFocus('Write a message');
      await tabTo('Attach a file');
      await tabTo('Send');
      await press('Enter');
      await hasFocus('Your name');
      await page.keyboard.type('Ada');
      await tabTo('E-mail');
      await page.keyboard.type('ada@example.com');
      await press('Enter');
      await hasFocus('Write a message');
      await visitor.sent();
      await company.answer('Hello Ada');
      await visitor.reads('Hello Ada');
      // people take longer than this test to read it
      await eventually(async () => (await company.conversation())['unread'].contact === 0 || undefined, PATIENCE_MS);

      await tabTo('More', 'Shift+Tab');
      await press('Enter');
      await tabTo('End chat');
      await press('Escape');
      await hasFocus('More');
      await press('Enter');
      await tabTo('End chat');
      await press('Enter');
      await hasFocus('More');
      await tabTo('Very bad');
      await press('ArrowRight', 'ArrowRight');
      await hasFocus('Okay');
      await tabTo('Tell us more (optional)');
      await page.keyboard.type('Quick');
      await tabTo('Send rating');
      await press('Enter');
      await hasFocus('Start again');
      await press('Enter');
      await hasFocus('Write a message');
      expect((await company.conversation())['csat']).toMatchObject({ score: 3, comment: 'Quick' });

      await tabTo('Back', 'Shift+Tab');
      await press('Enter');
      await hasFocus('Write a message');
      await press('Escape');
      await hasFocus('Chat');
      expect(await visitor.panel.count()).toBe(0);
      await press('Enter');
      await hasFocus('Write a message');
      await tabTo('Close');
      await press('Enter');
      await hasFocus('Chat');
    }));

  it('A screen reader announces each message that arrives once, equal ones too, and nothing of the history.', () =>
    play(ALL_FEATURES, async ({ company, visitor }) => {
      await visitor.open();
      await visitor.recordAnnouncements();
      await visitor.write('Hello');
      await visitor.sent();
      for (const count of [1, 2]) {
        await company.answer('One moment');
        await eventually(async () => (await visitor.bubbles()).length === count + 1 || undefined, PATIENCE_MS);
      }
      await company.resolve();
      await visitor.button('Start again').waitFor();
      const expected = ['Olivia Owner: One moment', 'Olivia Owner: One moment', 'The chat has ended'];
      expect(await visitor.announcements()).toEqual(expected);
      await visitor.button('Close').click();
      await visitor.launcher.click();
      await visitor.button('Start again').waitFor();
      expect(await visitor.page.getByRole('status').allInnerTexts()).toEqual(['']);
      await visitor.page.reload();
      await visitor.reads('One moment');
      expect(await visitor.page.getByRole('status').allInnerTexts()).toEqual(['']);
    }));

  it('A screen reader announces a message without those before it.', () =>
    play({}, async ({ visitor }) => {
      await visitor.open();
      const region = `document.querySelector('support-chat').shadowRoot.querySelector('.view > [role=status]')`;
      expect(await isReadWhole(visitor.page, region)).toBe(false);
    }));

  it.each<[string, string, BrowserContextOptions]>([
    ['from right to left', 'ar', DESKTOP],
    ['in German, on a phone of 320 px', 'de', { viewport: { width: 320, height: 560 }, hasTouch: true }],
    ['at 400 % zoom', 'en', { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 }],
    ['in forced colours', 'en', { ...DESKTOP, forcedColors: 'active' }],
  ])(
    'A chat %s has each control within reach, cuts off no text, and scrolls nothing sideways.',
    (_name, locale, options) =>
      play(
        {
          widget_config: { features: { end_chat: true }, title: 'Customer service of the Company' },
          csat_enabled: true,
        },
        async scene => {
          const { company, visitor } = scene;
          const fits = async (state: string, part?: string): Promise<void> => {
            await visitor.settle();
            const problems = [await controlsOutOfReach(visitor.page, part), await cutOffTexts(visitor.page)];
            expect([state, ...problems]).toEqual([state, [], []]);
          };
          await visitor.open();
          await visitor.call('setLocale', locale);
          await visitor.page.locator(`support-chat .view[lang="${locale}"]`).waitFor();
          await fits('home');
          await talk(scene);
          await visitor.write('x'.repeat(200));
          await fits('conversation');
          await visitor.page.locator('support-chat .menu > button').click();
          await fits('menu', '.menu');
          await visitor.page.keyboard.press('Escape');
          await company.resolve();
          await visitor.page.locator('support-chat .faces-of-rating label').nth(3).click();
          await fits('ended');
        },
        options,
      ),
  );

  it('A visitor who prefers less motion sees nothing move.', () =>
    play(
      {},
      async ({ company, visitor }) => {
        await visitor.open();
        await visitor.write('Hello');
        const { id } = await company.conversation();
        await company.call('POST', `/v1/conversations/${id}/take`);
        const agent = await ResumingListener.agent(service.url, company.desk.token);
        const isTyping = visitor.log.getByText('Olivia Owner is typing');
        await eventually(async () => {
          agent.send({ type: 'typing', conversation_id: id });
          await isTyping.waitFor({ timeout: PATIENCE_MS / 10 }).catch(() => undefined);
          return (await isTyping.isVisible()) || undefined;
        }, PATIENCE_MS);
        const moving = await visitor.page.evaluate(() =>
          document
            .querySelector('support-chat')!
            .shadowRoot!.getAnimations()
            .map(animation => (animation as CSSAnimation).animationName),
        );
        expect(moving).toEqual([]);
        agent.close();
      },
      { ...DESKTOP, reducedMotion: 'reduce' },
    ));

  it('A chat in forced colours has borders around bubbles, pictures, field and buttons, and a visible focus.', () =>
    play(
      {},
      async scene => {
        const { visitor } = scene;
        await visitor.open();
        await talk(scene);
        const borders = await visitor.page.evaluate(() =>
          ['.bubble', '.avatar', '.composer', '.send', '.launcher'].filter(selector => {
            const element = document.querySelector('support-chat')!.shadowRoot!.querySelector(selector)!;
            const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(element);
            return borderTopWidth === '0px' || borderTopColor === backgroundColor;
          }),
        );
        expect(borders).toEqual([]);
        await visitor.button('Add an emoji').focus();
        await visitor.page.keyboard.press('Shift+Tab');
        const ring = await visitor.page.evaluate(() => {
          const focused = document.querySelector('support-chat')!.shadowRoot!.activeElement!;
          const { outlineStyle, outlineWidth } = getComputedStyle(focused.closest('label') ?? focused);
          return [outlineStyle, outlineWidth];
        });
        expect(ring).toEqual(['solid', '2px']);
      },
      { ...DESKTOP, forcedColors: 'active' },
    ));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { ResumingListener } from '../support/outside.js';
import { checkout } from '../support/service-process.js';
import { ChatService } from './support/chat-service.js';
import { Company, PATIENCE_MS } from './support/company.js';
import type { SitePage } from './support/company-site.js';
import { differenceOf, ROUNDING } from './support/pictures.js';
import { CompanySite, snippet } from './support/company-site.js';
import { dropOn } from './support/drop.js';
import { measureTasks, YARDSTICK } from './support/main-thread.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

const DESKTOP = { viewport: { width: 1000, height: 760 } };
const NO_HTML = `style-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

/** Styles for everything that the widget consists of. The page's own content is left out of the picture. */
const CLEAN_STYLES = '<style>html { background: #fff !important } main { visibility: hidden !important }</style>';
const HOSTILE_STYLES = `<style>
  @import 'data:text/css,button{font-size:90px}';
  :not(html), ::before, ::after { color: red !important; font: 40px serif !important; letter-spacing: 9px !important;
    animation: spin 1s infinite !important; direction: rtl !important; float: right !important; zoom: 1.5 !important }
  * { --launcher: lime !important; --launcher-text: lime !important; --layer: -1 !important; --fill: lime !important;
    --surface: lime !important; --ink: lime !important; --visible-height: 9px !important }
  html { font-size: 40px; line-height: 4; text-align: center; user-select: none; cursor: none; color-scheme: dark;
    word-spacing: 20px; text-transform: uppercase; visibility: hidden }
  body { direction: rtl }
  :is(html, support-chat) > * { position: static !important; transform: none }
  dialog, ul, ol, li, svg, textarea, label, h2, p, [role], .panel, .view, .scroll, .composer, .bubble, .head {
    display: none !important; background: lime !important; border: 9px solid !important; width: 9px !important }
  support-chat { opacity: .1 !important; filter: blur(4px) !important; clip-path: inset(40%) !important;
    pointer-events: all !important; contain: strict !important; writing-mode: vertical-rl !important; mix-blend-mode: difference !important }
  @keyframes appear { to { transform: scale(3) } }
  @keyframes spin { to { rotate: 1turn } }
</style>`;

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

interface Scene {
  people: People;
  company: Company;
  /** Has the page before it, and the chat closed. */
  visitor: Visitor;
}

/** Plays a test with a new company and a visitor of a page with the widget. No script of the page may fail. */
function play(page: SitePage, test: (scene: Scene) => Promise<void>, options: BrowserContextOptions = DESKTOP) {
  return browser.run(async people => {
    const company = await Company.open(service, {
      csat_enabled: true,
      widget_config: { features: { end_chat: true } },
    });
    const body = `${page.body ?? ''}${snippet(service.url, company.widgetToken, 'nonce="n0nce"')}`;
    const visitor = await Visitor.arrive(people, site.publish({ ...page, body }));
    await test({ people, company, visitor });
    expect(visitor.tab.errors).toEqual([]);
  }, options);
}

/** The policy that the guide prints, with the address of this service. */
function printedPolicy(): string {
  const guide = readFileSync(join(checkout, 'docs/WIDGET.md'), 'utf8');
  const [line] = /^script-src https:\/\/chat\.example;.*$/m.exec(guide) ?? [];
  if (!line) throw new Error('the guide prints no policy');
  const { origin, host } = new URL(service.url);
  return line.replaceAll('https://chat.example', origin).replaceAll('wss://chat.example', `ws://${host}`);
}

function picture(): Promise<Buffer> {
  return sharp({ create: { width: 60, height: 40, channels: 3, background: '#3b82f6' } })
    .png()
    .toBuffer();
}

/** Marks the present element of the widget, to recognize it later. */
function mark(page: Page): Promise<void> {
  return page.evaluate(() => {
    (window as unknown as { former: unknown }).former = document.querySelector('support-chat');
  });
}
function isMarked(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { former } = window as unknown as { former: unknown };
    return former !== null && document.querySelector('support-chat') === former;
  });
}

describeInChromium('On pages of others', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('No task of a page is long while the launcher appears: each takes less than to parse 1 MB of JSON.', () =>
    browser.run(async people => {
      const { widgetToken } = await service.openDesk();
      const { page } = await people.openEmpty();
      const runs: { longest: number; yardstick: number }[] = [];
      for (let run = 0; run < 3; run++) {
        runs.push(await measureTasks(page, site.publish({ head: YARDSTICK, body: snippet(service.url, widgetToken) })));
      }
      const best = (name: 'longest' | 'yardstick') => Math.min(...runs.map(run => run[name]));
      expect(best('longest')).toBeLessThan(best('yardstick'));
    }));

  it.each<[string, (policy: string) => string]>([
    ['with the line of the guide and nothing else', policy => `default-src 'none'; ${policy}`],
    ['with Trusted Types, without any policy for them', policy => `${policy}; ${NO_HTML}`],
    [
      'with a nonce and strict-dynamic',
      policy => `${policy.replace(service.url, `'nonce-n0nce' 'strict-dynamic'`)}; ${NO_HTML}`,
    ],
  ])('Under a policy %s a message, an emoji, a picture, an answer and a rating cause no error.', (_name, policyFor) => {
    const policy = policyFor(printedPolicy()).replace('img-src', 'img-src data:');
    return play({ headers: { 'Content-Security-Policy': policy } }, async ({ company, visitor }) => {
      await visitor.open();
      await visitor.button('Add an emoji').click();
      await visitor.button('👍').click();
      const file = { name: 'shoe.png', mimeType: 'image/png', buffer: await picture() };
      await visitor.page.getByLabel('Attach a file').setInputFiles(file);
      await visitor.page.locator('support-chat .files progress').waitFor({ state: 'detached' });
      await visitor.field.press('Enter');
      await visitor.reads('👍');
      const image = visitor.log.getByRole('img', { name: 'shoe.png' });
      await eventually(
        async () => (await image.evaluate((shown: HTMLImageElement) => shown.naturalWidth > 0)) || undefined,
        PATIENCE_MS,
      );
      await company.answer('Hello **you**');
      await visitor.reads('Hello you');
      await visitor.chooseFromMenu('End chat');
      await visitor.page.getByRole('radio', { name: 'Good', exact: true }).check({ force: true });
      await visitor.button('Send rating').click();
      await visitor.page.getByText('Thank you for your rating').waitFor();
    });
  });

  it('Styles of the page do not change the open chat: it is equal in every pixel.', () =>
    play({ head: CLEAN_STYLES }, async ({ company, visitor }) => {
      const { page } = visitor;
      await visitor.open();
      await visitor.write('Hello');
      await company.answer('Hello. **Two** things:\n- one\n- `two`');
      await visitor.reads('Hello. Two');
      await eventually(async () => (await company.conversation())['unread'].contact === 0 || undefined, PATIENCE_MS);
      await company.call('POST', `/v1/conversations/${(await company.conversation()).id}/read`, { seq: 2 });
      const body = snippet(service.url, company.widgetToken);
      const pictures: Buffer[] = [];
      for (const head of [CLEAN_STYLES, CLEAN_STYLES + HOSTILE_STYLES]) {
        await page.goto(site.publish({ head, body }));
        await visitor.reads('Hello. Two');
        await visitor.field.focus();
        pictures.push(await page.screenshot({ animations: 'disabled' }));
      }
      expect(await differenceOf(pictures[0]!, pictures[1]!)).toBeLessThanOrEqual(ROUNDING);
    }));

  it('What a visitor types, pastes and drops reaches the chat alone, and the shortcuts of the page work outside.', () => {
    const body = `<script>
      window.received = [];
      for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'cut', 'paste', 'dragover', 'drop'])
        for (const target of [window, document, document.documentElement])
          target.addEventListener(type, event => {
            received.push(type + ' ' + (event.key ?? ''));
            event.preventDefault();
          });
    </script>`;
    const receivedKeys = (page: Page) => page.evaluate(() => (window as unknown as { received: string[] }).received);
    return play({ body }, async ({ visitor }) => {
      const { page, field } = visitor;
      await visitor.open();
      await field.pressSequentially('/sj?');
      for (const key of ['ArrowLeft', 'Home', 'Control+a', 'Control+x', 'Control+v']) await page.keyboard.press(key);
      expect(await field.inputValue()).toBe('/sj?');
      await visitor.button('Add an emoji').press('Enter');
      await page.keyboard.press('Escape');
      expect(await field.evaluate(element => element.matches(':focus'))).toBe(true);
      await dropOn(field, { name: 'note.txt', type: 'text/plain', content: 'Hello' });
      await visitor.button('Remove note.txt').waitFor();
      await page.keyboard.press('Escape');
      await visitor.panel.waitFor({ state: 'detached' });
      expect(await receivedKeys(page)).toEqual([]);
      await page.evaluate(() => document.querySelector('support-chat')!.shadowRoot!.querySelector('button')!.blur());
      await page.keyboard.press('/');
      expect(await receivedKeys(page)).toContain('keydown /');
    });
  });

  it('A dialog of the page that takes the focus back leaves it to the chat.', () => {
    const body = `<div role="dialog" tabindex="-1" aria-label="Offer"><button>Buy</button></div><script>
      const dialog = document.querySelector('[role=dialog]');
      document.addEventListener('focusin', event => dialog.contains(event.target) || dialog.focus());
      dialog.focus();
    </script>`;
    return play({ body }, async ({ visitor }) => {
      await visitor.open();
      await visitor.field.pressSequentially('Hello');
      expect(await visitor.field.inputValue()).toBe('Hello');
    });
  });

  it.each([
    ['replaces its body', () => document.body.replaceWith(document.createElement('body'))],
    [
      'morphs its document into another one',
      () => {
        const other = new DOMParser().parseFromString('<main><h1>Another page</h1></main>', 'text/html');
        const morph = (from: Element, to: Element): void => {
          for (const child of [...from.children]) {
            const match = [...to.children].find(({ tagName }) => tagName === child.tagName);
            if (match) morph(child, match);
            else child.remove();
          }
          if (to.children.length === 0) from.textContent = to.textContent;
        };
        morph(document.documentElement, other.documentElement);
      },
    ],
    ['exchanges its head and body', () => document.documentElement.replaceChildren(document.head, document.body)],
  ])('When the page %s, the chat is the same element, with its panel, its draft and the focus.', (_what, navigate) =>
    play({}, async ({ visitor }) => {
      const { page, field } = visitor;
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      await field.pressSequentially('Half a sen');
      await mark(page);
      await page.evaluate(navigate);
      await page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
      expect(await isMarked(page)).toBe(true);
      await visitor.panel.waitFor();
      await visitor.reads('Hello');
      await page.keyboard.type('tence');
      expect(await field.inputValue()).toBe('Half a sentence');
    }),
  );

  it('Agents learn each page of a single-page application once, and the open chat stays as it is.', () =>
    play({}, async ({ company, visitor }) => {
      const { page } = visitor;
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      await visitor.field.fill('Half a sen');
      await mark(page);
      const { id } = await company.conversation();
      const agent = await ResumingListener.agent(service.url, company.desk.token);
      const pages = () =>
        agent.frames
          .filter(({ type }) => type === 'visitor.page')
          .map(({ data }) => [new URL(data.page.url).pathname, data.page.title]);
      agent.send({ type: 'viewing', conversation_id: id });
      const first = [new URL(page.url()).pathname, 'Company'];
      await eventually(() => (pages().length === 1 ? true : undefined), PATIENCE_MS);
      const navigate = async (path: string, title: string) => {
        await page.evaluate(
          ([nextPath, nextTitle]) => {
            history.pushState({}, '', nextPath);
            document.title = nextTitle!;
            window.SupportChat!.setPage();
          },
          [path, title],
        );
        await eventually(() => (pages().at(-1)?.[1] === title ? true : undefined), PATIENCE_MS);
      };
      await navigate('/shoes', 'Shoes');
      await navigate('/shoes/7', 'Blue shoe');
      await visitor.call('setPage', 'https://shop.example/checkout', 'Checkout');
      await eventually(() => (pages().at(-1)?.[1] === 'Checkout' ? true : undefined), PATIENCE_MS);
      expect(pages()).toEqual([first, ['/shoes', 'Shoes'], ['/shoes/7', 'Blue shoe'], ['/checkout', 'Checkout']]);
      agent.close();
      expect(await isMarked(page)).toBe(true);
      expect(await visitor.field.inputValue()).toBe('Half a sen');
    }));

  it('A page that the site has named before the chat is opened is the one that agents see.', () =>
    play({}, async ({ company, visitor }) => {
      await visitor.call('setPage', 'https://shop.example/account', 'Account');
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      const { context } = await company.conversation();
      expect(context.page).toMatchObject({ url: 'https://shop.example/account', title: 'Account' });
    }));

  it('A contact that is blocked while the chat is open is told that it is not available, also after a reload.', () =>
    play({}, async ({ company, visitor }) => {
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      const { contact_id } = await company.conversation();
      await company.call('POST', `/v1/contacts/${contact_id}/block`);
      const notice = visitor.panel.getByText('This chat is not available.');
      await notice.waitFor();
      expect(await visitor.field.count()).toBe(0);
      await visitor.page.reload();
      await notice.waitFor();
      expect(await visitor.page.getByText('No connection').count()).toBe(0);
      await company.call('POST', `/v1/contacts/${contact_id}/unblock`);
      await visitor.page.reload();
      await visitor.field.waitFor();
      await visitor.reads('Hello');
    }));

  it('A channel that is disabled while the chat is open ends it, and shows no launcher any more.', () =>
    play({}, async ({ people, company, visitor }) => {
      await visitor.open();
      await visitor.write('Hello');
      await visitor.sent();
      await company.call('PATCH', `/v1/channels/${company.desk.channelId}`, { status: 'disabled' });
      await visitor.panel.getByText('This chat is not available.').waitFor();
      // another browser, which has not cached the configuration
      const tab = await people.open(visitor.page.url(), 'another visitor');
      await eventually(() => tab.warnings.length > 0 || undefined, PATIENCE_MS);
      expect(tab.warnings).toEqual([expect.stringContaining('widget_token_invalid')]);
      expect(await tab.page.locator('support-chat').count()).toBe(0);
      expect(tab.errors).toEqual([]);
    }));
});

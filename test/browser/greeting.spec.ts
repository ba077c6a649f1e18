import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Locator } from 'playwright-core';
import type {} from '../../clients/widget/src/api.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import type { Json } from '../support/json.js';
import { ChatService } from './support/chat-service.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

const DESKTOP = { viewport: { width: 1000, height: 700 } };
const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true };
const TEXT = 'Hello! Ask us anything.';

interface Scene {
  people: People;
  company: Company;
  /** Address of a page with the widget. */
  url: string;
}

/** Plays a test with a new company that greets its visitors. @param config of its widget */
function play(config: Json, test: (scene: Scene) => Promise<void>, options: BrowserContextOptions = DESKTOP) {
  return browser.run(async people => {
    const company = await Company.open(service, { widget_config: { greeting: TEXT, locale: 'de', ...config } });
    const url = site.publish({ body: snippet(service.url, company.widgetToken) });
    await test({ people, company, url });
  }, options);
}

const greetingOf = ({ page }: Visitor): Locator => page.locator('support-chat .welcome');

/** Opens a page and lets a minute pass. @returns true if the greeting was loaded */
async function isGreeted(people: People, url: string): Promise<boolean> {
  const tab = await people.openEmpty();
  await tab.page.clock.install();
  const visitor = Visitor.of(tab);
  await visitor.page.goto(url);
  await visitor.page.evaluate(() => window.SupportChat?.ready);
  await visitor.page.clock.runFor(60_000);
  const isLoaded = tab.requests.some(request => request.includes('/widget/greeting-'));
  if (isLoaded) await greetingOf(visitor).waitFor();
  return isLoaded;
}

describeInChromium('The greeting', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('The greeting appears beside the launcher once a visit, opens no session and takes no focus.', () =>
    play({}, async ({ people, company, url }) => {
      const visitor = await Visitor.arrive(people, url);
      await greetingOf(visitor).getByText(TEXT).waitFor();
      expect(await visitor.violations()).toEqual([]);
      const [bubble, launcher] = [await greetingOf(visitor).boundingBox(), await visitor.launcher.boundingBox()];
      expect(bubble!.x + bubble!.width).toBeLessThan(launcher!.x);
      expect(await visitor.page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
      const calls = visitor.tab.requests.filter(each => each.includes('/v1/')).map(each => new URL(each).pathname);
      expect(calls).toEqual(['/v1/widget/config']);
      const stored = await visitor.page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)]);
      expect(stored).toEqual([[], [`support-chat:${company.widgetToken}:greeted`]]);
      expect(visitor.tab.errors).toEqual([]);

      await visitor.page.clock.install();
      await visitor.goTo(url);
      await visitor.page.clock.runFor(60_000);
      expect(visitor.tab.requests.filter(each => each.includes('/widget/greeting-'))).toHaveLength(1);
      expect(await isGreeted(people, url)).toBe(true);
    }));

  it('A visitor who closes the greeting is never greeted again, and the launcher has the focus.', () =>
    play({}, async ({ people, url }) => {
      const visitor = await Visitor.arrive(people, url);
      await greetingOf(visitor).getByRole('button', { name: 'Schließen' }).click();
      await greetingOf(visitor).waitFor({ state: 'detached' });
      await visitor.page.locator('support-chat .launcher:focus').waitFor();
      expect(await isGreeted(people, url)).toBe(false);
    }));

  it('A click on the greeting opens the chat, where the greeting is the first text.', () =>
    play({}, async ({ people, url }) => {
      const visitor = await Visitor.arrive(people, url);
      await greetingOf(visitor).getByText(TEXT).click();
      await visitor.page.locator('support-chat .composer textarea:focus').waitFor();
      await greetingOf(visitor).waitFor({ state: 'detached' });
      expect(await visitor.page.locator('support-chat .home').innerText()).toContain(TEXT);
    }));

  it('A visitor who has opened the chat before is not greeted.', () =>
    play({}, async ({ people, url }) => {
      const visitor = await Visitor.arrive(people, url);
      await visitor.open();
      await visitor.page.waitForFunction(() => Object.keys(localStorage).some(key => key.endsWith(':session')));
      await visitor.page.close();
      expect(await isGreeted(people, url)).toBe(false);
    }));

  it('Nobody is greeted on a phone, by a company without a greeting, or where the page hides it or the launcher.', async () => {
    await play({}, async ({ people, url }) => expect(await isGreeted(people, url)).toBe(false), PHONE);
    await play({ greeting: '' }, async ({ people, url }) => expect(await isGreeted(people, url)).toBe(false));
    await play({}, async ({ people, company }) => {
      for (const options of ['{ hideGreeting: true }', '{ hideLauncher: true }']) {
        const head = `<script>
          window.SupportChat = function () { (SupportChat.q ||= []).push(arguments) };
          SupportChat('boot', ${options});
        </script>`;
        const url = site.publish({ head, body: snippet(service.url, company.widgetToken) });
        expect(await isGreeted(people, url)).toBe(false);
      }
    });
  });

  it('A long greeting with markup is text of four lines, from right to left and on the left side where it should be.', () => {
    const greeting = `שלום <img src=x onerror=alert(1)> ${'שאלה '.repeat(60)}`;
    return play({ greeting, theme: { position: 'left', mode: 'dark' } }, async ({ people, url }) => {
      const visitor = await Visitor.arrive(people, url);
      await greetingOf(visitor).getByText('<img').waitFor();
      expect(await visitor.violations()).toEqual([]);
      const [bubble, launcher] = [await greetingOf(visitor).boundingBox(), await visitor.launcher.boundingBox()];
      expect(bubble!.x).toBeGreaterThan(launcher!.x + launcher!.width);
      expect(bubble!.height).toBeLessThan(130);
      const text = await greetingOf(visitor).locator('span').boundingBox();
      const close = await greetingOf(visitor).getByRole('button', { name: 'Schließen' }).boundingBox();
      expect(close!.x).toBeLessThan(text!.x);
    });
  });
});

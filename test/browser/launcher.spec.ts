import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type {} from '../../clients/widget/src/api.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi } from '../support/outside.js';
import { accessibilityViolations } from './support/accessibility.js';
import { ChatService } from './support/chat-service.js';
import { CompanySite, snippet } from './support/company-site.js';
import { differenceOf, ROUNDING } from './support/pictures.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';

const HOSTILE_STYLES = `<style>
  * { color: red !important; font: 40px serif !important; letter-spacing: 9px !important }
  html { font-size: 40px } body { direction: rtl }
  support-chat { display: none !important; opacity: .1 !important; transform: scale(3) !important;
    visibility: hidden !important; position: static !important; filter: blur(4px) !important; direction: rtl !important }
  button { width: 300px !important; background: lime !important; border: 9px solid !important }
  svg { display: none !important }
</style>`;

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;
let desk: OutsideDesk;

const launcherOf = (page: Page) => page.locator('support-chat button.launcher');
const panelOf = (page: Page) => page.locator('support-chat dialog[open]');

/** @returns the token of a new channel that this site may not use */
async function channelForOtherSites(): Promise<string> {
  const body = { name: 'Elsewhere', allowed_origins: ['https://elsewhere.example'] };
  return (await callApi('POST', `${service.url}/v1/channels`, desk.token, body)).widget_token;
}

/** Opens a page of the company with the widget, and waits for the launcher. */
async function openShop(people: People, page: { head?: string; body?: string; attributes?: string } = {}) {
  const { head, body = '', attributes } = page;
  const tab = await people.open(
    site.publish({ ...(head && { head }), body: body + snippet(service.url, desk.widgetToken, attributes) }),
  );
  await launcherOf(tab.page).waitFor();
  return tab;
}

describeInChromium('The launcher', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
    desk = await service.openDesk();
    const channel = { widget_config: { greeting: '' } };
    await callApi('PATCH', `${service.url}/v1/channels/${desk.channelId}`, desk.token, channel);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('One line of HTML shows the launcher with two requests; nothing is stored, and no contact is made.', () =>
    browser.run(async people => {
      const { page, requests, errors } = await openShop(people);
      const paths = requests.filter(url => url.startsWith(service.url)).map(url => new URL(url).pathname);
      expect(paths).toEqual(['/widget.js', '/v1/widget/config']);
      expect(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)])).toEqual([[], []]);
      expect(await page.context().cookies()).toEqual([]);
      expect(await service.database.query('SELECT id FROM contact')).toEqual([]);
      expect(errors).toEqual([]);
      expect(await accessibilityViolations(page)).toEqual([]);
    }));

  it('The page does not move when the launcher appears.', () =>
    browser.run(async people => {
      const { page } = await openShop(people, { body: '<p>Text of the page.</p>'.repeat(40) });
      const shift = await page.evaluate(
        () =>
          new Promise<number>(resolve => {
            let sum = 0;
            new PerformanceObserver(list => {
              for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
            }).observe({ type: 'layout-shift', buffered: true });
            requestAnimationFrame(() => setTimeout(() => resolve(sum)));
          }),
      );
      expect(shift).toBe(0);
    }));

  it('Styles of the page do not change it: it is equal in every pixel.', () =>
    browser.run(async people => {
      const pictures: Buffer[] = [];
      for (const head of ['', HOSTILE_STYLES]) {
        const { page } = await openShop(people, { head });
        await page.evaluate(() => document.fonts.ready);
        pictures.push(await launcherOf(page).screenshot({ animations: 'disabled' }));
      }
      expect(await differenceOf(pictures[0]!, pictures[1]!)).toBeLessThanOrEqual(ROUNDING);
    }));

  it('It stays the same element, with its panel open, when the page replaces its body or removes it.', () =>
    browser.run(async people => {
      const { page } = await openShop(people);
      await launcherOf(page).click();
      await panelOf(page).waitFor();
      const same = await page.evaluate(async () => {
        const element = document.querySelector('support-chat');
        const body = document.createElement('body');
        body.textContent = 'Another page';
        document.body.replaceWith(body);
        const kept = document.querySelector('support-chat') === element;
        element?.remove();
        await new Promise(resolve => setTimeout(resolve));
        return [kept, document.querySelector('support-chat') === element];
      });
      expect(same).toEqual([true, true]);
      await launcherOf(page).waitFor();
    }));

  it('A page that forbids storage has the chat all the same.', () =>
    browser.run(async people => {
      const tab = await people.openEmpty();
      await tab.page.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
          Object.defineProperty(window, name, {
            get: () => {
              throw new DOMException('denied', 'SecurityError');
            },
          });
        }
      });
      await tab.page.goto(site.publish({ body: snippet(service.url, desk.widgetToken) }));
      await launcherOf(tab.page).click();
      await panelOf(tab.page).waitFor();
      expect(tab.errors).toEqual([]);
    }));

  it.each([
    ['an unknown token', 'wt_unknown', /widget_token_invalid/],
    ['a channel that allows other sites only', null, /origin_not_allowed/],
  ])('A page with %s stays as it is, and its console says why in one warning.', (_what, token, reason) =>
    browser.run(async people => {
      const used = token ?? (await channelForOtherSites());
      const tab = await people.open(site.publish({ body: snippet(service.url, used) }));
      await eventually(() => (tab.warnings.length > 0 ? true : undefined), 60_000);
      expect(tab.warnings).toEqual([expect.stringMatching(reason)]);
      expect(await tab.page.locator('support-chat').count()).toBe(0);
      expect(tab.errors).toEqual([]);
    }),
  );

  it('Calls from before the script is loaded are made in order, and a second script changes nothing.', () =>
    browser.run(async people => {
      const body = `<script>
        window.SupportChat ||= function () { (SupportChat.q ||= []).push(arguments) }
        window.seen = []
        for (const event of ['ready', 'open', 'close']) {
          SupportChat('on', event, () => seen.push(event))
          addEventListener('support-chat:' + event, () => seen.push('window ' + event))
        }
        SupportChat('boot', { position: 'left', hideLauncher: true })
        SupportChat('open')
      </script>${snippet(service.url, desk.widgetToken)}`;
      const { page, requests } = await people.open(
        site.publish({ body: body + snippet(service.url, desk.widgetToken) }),
      );
      await panelOf(page).waitFor();
      expect(await page.locator('support-chat').count()).toBe(1);
      expect(await launcherOf(page).isVisible()).toBe(false);
      expect(requests.filter(url => url.includes('/v1/widget/config'))).toHaveLength(1);
      const result = await page.evaluate(async () => {
        const widget = window.SupportChat!;
        await widget.ready;
        widget.show();
        widget.close();
        const { isOpen } = widget.state;
        return { isOpen, seen: (window as unknown as { seen: string[] }).seen };
      });
      expect(result.isOpen).toBe(true);
      await eventually(async () => ((await panelOf(page).count()) === 0 ? true : undefined), 60_000);
      expect(await launcherOf(page).isVisible()).toBe(true);
      expect((await launcherOf(page).boundingBox())!.x).toBeLessThan(40);
      const { seen } = await page.evaluate(() => ({ seen: (window as unknown as { seen: string[] }).seen }));
      expect(seen).toEqual(['ready', 'window ready', 'open', 'window open', 'close', 'window close']);
    }));

  it('After shutdown the page is as before, and boot shows the launcher again.', () =>
    browser.run(async people => {
      const { page } = await openShop(people);
      await launcherOf(page).click();
      await panelOf(page).waitFor();
      await page.evaluate(() => window.SupportChat!.shutdown());
      expect(await page.locator('support-chat').count()).toBe(0);
      const stored = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
      expect(await stored()).toEqual([]);
      await page.evaluate(() => window.SupportChat!.boot());
      await launcherOf(page).waitFor();
      expect(await panelOf(page).count()).toBe(0);
    }));

  it('A session that begins while the widget is shut down is not stored.', () =>
    browser.run(async people => {
      const { page } = await openShop(people);
      let answer = (): void => undefined;
      const asked = new Promise<void>(resolve => {
        void page.route('**/v1/widget/session', async route => {
          const response = await route.fetch();
          resolve();
          await new Promise<void>(go => (answer = go));
          await route.fulfill({ response });
        });
      });
      await launcherOf(page).click();
      await asked;
      await page.evaluate(() => window.SupportChat!.shutdown());
      const received = page.waitForResponse('**/v1/widget/session');
      answer();
      await (await received).finished();
      // what follows the response in the page has run
      await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)));
      expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    }));

  it('On a phone the panel covers the screen and keeps the focus; Escape gives it back to the launcher.', () =>
    browser.run(
      async people => {
        const { page } = await openShop(people, { body: '<p>Text of the page.</p>'.repeat(60) });
        await launcherOf(page).click();
        await panelOf(page).waitFor();
        // it slides in
        await page.waitForFunction(
          () => document.querySelector('support-chat')!.shadowRoot!.getAnimations().length === 0,
        );
        const box = await panelOf(page).boundingBox();
        expect(box).toEqual({ x: 0, y: 0, width: 360, height: 640 });
        expect(await page.locator('support-chat dialog:modal').count()).toBe(1);
        await page.keyboard.press('Escape');
        await panelOf(page).waitFor({ state: 'detached' });
        const focused = await page.evaluate(
          () => document.querySelector('support-chat')?.shadowRoot?.activeElement?.className,
        );
        expect(focused).toBe('launcher');
      },
      { viewport: { width: 360, height: 640 } },
    ));

  it('A chunk that an instance of another version does not have is asked for again, until one has it.', () =>
    browser.run(async people => {
      const tab = await people.openEmpty();
      let missing = 2;
      await tab.page.route('**/widget/app-*', route =>
        (missing -= 1) >= 0 ? route.fulfill({ status: 404, body: '' }) : route.continue(),
      );
      await tab.page.goto(site.publish({ body: snippet(service.url, desk.widgetToken) }));
      await launcherOf(tab.page).click();
      await panelOf(tab.page).waitFor();
      expect(missing).toBeLessThan(0);
    }));

  it('A loader whose chunk is gone reads the loader anew, and uses the chunk that this one names.', () =>
    browser.run(async people => {
      const tab = await people.openEmpty();
      let chunk = '';
      await tab.page.route('**/widget/app-*', async route => {
        if (route.request().url().includes('app-later'))
          return route.fulfill({ response: await route.fetch({ url: chunk }) });
        chunk = route.request().url().split('?')[0]!;
        return route.fulfill({ status: 404, body: '' });
      });
      await tab.page.route('**/widget.js?fresh*', async route => {
        const response = await route.fetch();
        const body = (await response.text()).replace(/app-[\w-]+\.js/, 'app-later.js');
        return route.fulfill({ response, body });
      });
      await tab.page.goto(site.publish({ body: snippet(service.url, desk.widgetToken) }));
      await launcherOf(tab.page).click();
      await panelOf(tab.page).waitFor();
      expect(tab.requests.some(url => url.includes('app-later.js'))).toBe(true);
    }));
});

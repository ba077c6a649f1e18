import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi } from '../support/outside.js';
import { checkout } from '../support/service-process.js';
import { accessibilityViolations } from './support/accessibility.js';
import { ChatService } from './support/chat-service.js';
import { CompanySite, snippet } from './support/company-site.js';
import type { Tab, Transfer } from './support/tab.js';
import { TestBrowser } from './support/test-browser.js';

const BUILT = join(checkout, 'clients/widget/dist');
const TRUSTED_TYPES = `require-trusted-types-for 'script'; trusted-types 'none'`;

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;
let desk: OutsideDesk;

/** Waits until the tab has loaded the chunk. */
function chunkOf(tab: Tab): Promise<Transfer> {
  return eventually(async () => (await tab.loaded()).find(({ url }) => url.includes('/widget/app-')), 60_000);
}

/** Opens the chat by its launcher, if the loader draws one before it loads the chunk. */
async function openChat(tab: Tab): Promise<Transfer> {
  const launcher = tab.page.getByRole('button').first();
  const isLoaded = async () => (await tab.loaded()).some(({ url }) => url.includes('/widget/app-'));
  await eventually(async () => (await launcher.isVisible()) || (await isLoaded()) || undefined, 60_000);
  if (await launcher.isVisible()) await launcher.click();
  return chunkOf(tab);
}

describeInChromium('The widget as served to a browser', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
    desk = await service.openDesk();
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('A page of another site loads the loader and its chunk compressed, from the same version.', () =>
    browser.run(async people => {
      const tab = await people.open(site.publish({ body: snippet(service.url, desk.widgetToken) }));
      const chunk = await openChat(tab);
      const loader = (await tab.loaded()).find(({ url }) => url.endsWith('/widget.js'));
      for (const file of [loader, chunk]) {
        const compressed = join(BUILT, `${new URL(file?.url ?? '').pathname}.br`);
        expect([file?.status, file?.bytes]).toEqual([200, statSync(compressed).size]);
      }
      expect(tab.errors).toEqual([]);
    }));

  const POLICIES = {
    'a list of allowed origins': (url: string) =>
      `default-src 'none'; script-src ${url}; connect-src ${url} ${url.replace('http', 'ws')}; img-src data: ${url}`,
    'Trusted Types and no policy for them': (url: string) =>
      `script-src ${url}; connect-src ${url} ${url.replace('http', 'ws')}; style-src 'none'; ${TRUSTED_TYPES}`,
    'a nonce with strict-dynamic': (url: string) =>
      `script-src 'nonce-n0nce' 'strict-dynamic'; connect-src ${url} ${url.replace('http', 'ws')}; style-src 'none'; ${TRUSTED_TYPES}`,
  };

  it.each(Object.entries(POLICIES))(
    'A page whose policy is %s loads the widget without any error.',
    (_name, policyFor) =>
      browser.run(async people => {
        const headers = { 'Content-Security-Policy': policyFor(service.url) };
        const body = snippet(service.url, desk.widgetToken, 'nonce="n0nce"');
        const tab = await people.open(site.publish({ headers, body }));
        await openChat(tab);
        expect(tab.errors).toEqual([]);
      }),
  );

  it('A page whose policy does not allow the service is told so in its console.', () =>
    browser.run(async people => {
      const headers = { 'Content-Security-Policy': `script-src 'self'` };
      const tab = await people.open(site.publish({ headers, body: snippet(service.url, desk.widgetToken) }));
      await eventually(() => tab.errors.find(text => text.includes('Content Security Policy')), 60_000);
      expect(tab.requests.filter(url => url.includes('/widget/'))).toEqual([]);
    }));

  it('The chat page boots the widget in page mode without any error.', () =>
    browser.run(async people => {
      const tab = await people.open(`${service.url}/chat?widget_token=${desk.widgetToken}`);
      await chunkOf(tab);
      expect(tab.errors).toEqual([]);
      expect(await tab.page.title()).toBe('Chat with us');
      expect(await tab.page.getAttribute('script', 'data-mode')).toBe('page');
    }));

  it('A link to no chat shows a page in words, without any error or accessibility violation.', () =>
    browser.run(async people => {
      const tab = await people.open(`${service.url}/chat?widget_token=wt_"><img src=x onerror=alert(1)>`);
      expect(await tab.page.locator('h1').innerText()).toBe('This chat does not exist');
      expect(await tab.page.locator('img').count()).toBe(0);
      expect(await accessibilityViolations(tab.page)).toEqual([]);
    }));

  it('The policy of the chat page refuses markup from a text and scripts from elsewhere.', () =>
    browser.run(async people => {
      site.publishFile('/evil.js', 'document.title = "ran"', { 'Content-Type': 'text/javascript' });
      const tab = await people.open(`${service.url}/chat?widget_token=${desk.widgetToken}`);
      const refusals = await tab.page.evaluate(async source => {
        const refused = [];
        try {
          document.body.innerHTML = '<img src=x>';
        } catch {
          refused.push('markup');
        }
        await import(source).catch(() => refused.push('script'));
        return refused;
      }, `${site.origin}/evil.js`);
      expect(refusals).toEqual(['markup', 'script']);
      expect(await tab.page.title()).toBe('Chat with us');
    }));

  it('Another site frames the chat page of a channel without allowed origins, and not that of one with others.', () =>
    browser.run(async people => {
      const frame = `<iframe title="chat" src="${service.url}/chat?widget_token=${desk.widgetToken}"></iframe>`;
      const url = site.publish({ body: frame });
      const allowed = async (origins: string[]) => {
        const path = `${service.url}/v1/channels/${desk.channelId}`;
        await callApi('PATCH', path, desk.token, { allowed_origins: origins });
        const tab = await people.open(url);
        const refused = () => tab.errors.some(text => text.includes('frame-ancestors'));
        const shown = async () =>
          (await tab.page
            .frames()[1]
            ?.title()
            .catch(() => '')) === 'Chat with us';
        return eventually(async () => (refused() ? 'refused' : (await shown()) ? 'shown' : undefined), 60_000);
      };
      expect(await allowed([])).toBe('shown');
      expect(await allowed(['https://elsewhere.example'])).toBe('refused');
      expect(await allowed([site.origin])).toBe('shown');
      await allowed([]);
    }));

  it('A visitor without a network gets no widget, and one after the network is back gets it.', () =>
    browser.run(async people => {
      const url = site.publish({ body: snippet(service.url, desk.widgetToken) });
      await service.network.refuse();
      const tab = await people.open(url);
      await eventually(() => tab.errors.find(text => text.includes('ERR_CONNECTION_REFUSED')), 60_000);
      await service.network.heal();
      await tab.page.reload();
      await openChat(tab);
    }));
});

describeInChromium('The browser of the tests', () => {
  let own: TestBrowser;
  let company: CompanySite;
  beforeAll(async () => {
    [own, company] = await Promise.all([TestBrowser.start(), CompanySite.start()]);
  });
  afterAll(async () => {
    await Promise.all([own.stop(), company.stop()]);
  });

  it('A tab reports exceptions, console errors and accessibility violations, whatever the policy of its page.', () =>
    own.run(async people => {
      const url = company.publish({
        body: '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
        headers: { 'Content-Security-Policy': `script-src 'none'; ${TRUSTED_TYPES}` },
      });
      const tab = await people.open(url);
      await tab.page.evaluate(() => {
        console.error('planted');
        setTimeout(() => {
          throw new Error('thrown');
        });
      });
      await eventually(() => (tab.errors.length >= 2 ? true : undefined), 60_000);
      expect(tab.errors).toEqual(['planted', expect.stringContaining('thrown')]);
      const violations = await accessibilityViolations(tab.page);
      expect(violations).toEqual([expect.stringMatching(/^image-alt: .*<img/)]);
    }));

  it('People of a test share nothing, and tabs of a person share their storage.', () =>
    own.run(async people => {
      const url = company.publish({});
      const tab = await people.open(url, 'visitor');
      await tab.page.evaluate(() => localStorage.setItem('a', '1'));
      const read = async (person: string) =>
        (await people.open(url, person)).page.evaluate(() => localStorage.getItem('a'));
      expect([await read('visitor'), await read('agent')]).toEqual(['1', null]);
    }));
});

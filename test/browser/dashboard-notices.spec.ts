import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { AgentClient, ServerClient, VisitorClient } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { PASSWORD, unique } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { PATIENCE_MS } from './support/company.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';

let service: ChatService;
let browser: TestBrowser;
let desk: OutsideDesk;
let ben: AgentClient;

/** A visitor's conversation with a text, and a note in it that mentions the owner. */
interface Talk {
  visitor: VisitorClient;
  id: string;
  mention(text: string): Promise<string>;
}

async function talk(name: string): Promise<Talk> {
  const visitor = await VisitorClient.start({ baseUrl: service.url, widgetToken: desk.widgetToken, name });
  const { id } = (await visitor.startConversation(`This is ${name}`)).conversation;
  const mention = async (content: string) => {
    const note = { content, private: true, metadata: { mentions: [desk.memberId] } };
    return (await ben.conversations.send(id, note)).id;
  };
  return { visitor, id, mention };
}

/** A browser that allows notifications records them instead of showing them, and counts the tones that it plays. */
async function recordAnnouncements(people: People): Promise<void> {
  const profile = await people.profile('agent');
  await profile.addInitScript(() => {
    const recorded = { shown: [] as { title: string; click(): void }[], tones: 0, requested: 0 };
    Object.assign(window, { recorded });
    class Recorded {
      onclick: (() => void) | null = null;
      constructor(title: string) {
        recorded.shown.push({ title, click: () => this.onclick?.() });
      }
      static get permission() {
        return localStorage.getItem('test:permission') ?? 'default';
      }
      static async requestPermission() {
        recorded.requested += 1;
        localStorage.setItem('test:permission', 'granted');
        return 'granted';
      }
      close() {}
    }
    Object.assign(window, { Notification: Recorded });
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (this: OscillatorNode, when?: number) {
      recorded.tones += 1;
      start.call(this, when);
    };
  });
}

interface Recorded {
  shown: string[];
  tones: number;
  requested: number;
}

function recordedIn(page: Page): Promise<Recorded> {
  return page.evaluate(() => {
    const { recorded } = window as unknown as { recorded: Omit<Recorded, 'shown'> & { shown: { title: string }[] } };
    return { ...recorded, shown: recorded.shown.map(({ title }) => title) };
  });
}

const bell = (page: Page, count: number) =>
  page.getByRole('button', { name: count === 0 ? 'Notifications' : `Notifications, ${count} unread`, exact: true });
const panel = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

/** Runs a test with the owner at the reports, where nothing is read by being shown. */
function play(test: (tab: AgentTab, people: People) => Promise<void>, options: BrowserContextOptions = {}) {
  return browser.run(async people => {
    await recordAnnouncements(people);
    const tab = await AgentTab.open(people, `${service.url}/dashboard/reports`);
    await tab.signIn(desk.email);
    await tab.isSignedIn('Olivia Owner');
    await test(tab, people);
    expect(tab.errors).toEqual([]);
  }, options);
}

describeInChromium('The notifications of the dashboard', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([ChatService.start(), TestBrowser.start()]);
  }, 240_000);
  beforeEach(async () => {
    desk = await service.openDesk();
    const email = `${unique('ben')}@example.com`;
    const server = new ServerClient({ baseUrl: service.url, apiKey: desk.key });
    await server.members.create({ email, name: 'Ben Baker', password: PASSWORD });
    ben = new AgentClient({ baseUrl: service.url });
    await ben.login({ email, password: PASSWORD });
  });
  afterAll(() => Promise.all([browser.stop(), service.stop()]));

  it('A mention counts at the bell and in the title at once, leads to its note, and is read then.', () =>
    play(async ({ page }) => {
      await bell(page, 0).click();
      await panel(page).getByText('Nothing new').waitFor();
      await page.keyboard.press('Escape');
      const vera = await talk('Vera Visitor');
      const noteId = await vera.mention('Olivia, can she return it?');
      await bell(page, 1).waitFor();
      await eventually(async () => (await page.title()).startsWith('(1) ') || undefined, PATIENCE_MS);
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('icon-unread');
      await bell(page, 1).click();
      await panel(page)
        .getByRole('link', { name: /Ben Baker mentioned you in a note about Vera Visitor/ })
        .click();
      await page.locator(`#message-${noteId}.linked`, { hasText: 'Olivia, can she return it?' }).waitFor();
      await bell(page, 0).waitFor();
      await eventually(async () => !(await page.title()).startsWith('(') || undefined, PATIENCE_MS);
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).not.toContain('unread');
    }));

  it('A member reads all notifications at once, in every tab.', () =>
    play(async (tab, people) => {
      const other = await AgentTab.open(people, `${service.url}/dashboard/settings/views`);
      for (const name of ['Anna', 'Bea', 'Cleo']) await (await talk(name)).mention('Look');
      await bell(tab.page, 3).waitFor();
      await bell(other.page, 3).click();
      await other.isAccessible('notifications');
      await panel(other.page).getByRole('button', { name: 'Mark all as read' }).click();
      await bell(other.page, 0).waitFor();
      await bell(tab.page, 0).waitFor();
      expect(await panel(other.page).getByRole('listitem').count()).toBe(3);
      expect(other.errors).toEqual([]);
    }));

  it('Nothing is asked for until the member turns it on; then one of three tabs shows and plays each.', () =>
    play(async (tab, people) => {
      const open = (path: string) => AgentTab.open(people, `${service.url}/dashboard/${path}`);
      const tabs = [tab, await open('reports'), await open('settings/profile')];
      const profile = tabs[2]!;
      await profile.sees('Profile');
      const all = () => Promise.all(tabs.map(({ page }) => recordedIn(page)));
      expect((await all()).map(({ requested }) => requested)).toEqual([0, 0, 0]);
      await profile.page.getByRole('switch', { name: 'Notifications of the browser' }).click();
      await profile.page.getByRole('switch', { name: 'Sound' }).click();
      await eventually(async () => (await recordedIn(profile.page)).tones === 2 || undefined, PATIENCE_MS);
      const vera = await talk('Vera Visitor');
      await vera.mention('Look');
      const shown = async () => (await all()).flatMap(each => each.shown);
      await eventually(async () => (await shown()).length > 0 || undefined, PATIENCE_MS);
      await profile.page.waitForTimeout(2_000);
      expect(await shown()).toEqual(['Ben Baker mentioned you in a note about Vera Visitor']);
      // two tones for the sample, and two for the notification
      expect((await all()).reduce((sum, { tones }) => sum + tones, 0)).toBe(4);
      const announcer = (await all()).findIndex(each => each.shown.length > 0);
      const { page } = tabs[announcer]!;
      await page.evaluate(() =>
        (window as unknown as { recorded: { shown: { click(): void }[] } }).recorded.shown[0]?.click(),
      );
      await page.getByRole('region', { name: 'Conversation with Vera Visitor' }).waitFor();
      await bell(page, 0).waitFor();
    }));

  it('A conversation that is on the screen is announced nowhere, and its notifications are read.', () =>
    play(async ({ page }) => {
      await page.evaluate(() => {
        localStorage.setItem('test:permission', 'granted');
        localStorage.setItem('support-chat:preferences', JSON.stringify({ browserNotices: true, sound: true }));
      });
      const vera = await talk('Vera Visitor');
      await page.goto(`${service.url}/dashboard/inbox/all/${vera.id}`);
      await page.getByRole('region', { name: 'Conversation with Vera Visitor' }).waitFor();
      await page.getByText('This is Vera Visitor').first().waitFor();
      await vera.mention('On your screen');
      await page.getByRole('log').getByText('On your screen').waitFor();
      await page.waitForTimeout(2_500);
      expect(await recordedIn(page)).toMatchObject({ shown: [], tones: 0 });
      await bell(page, 0).waitFor();
      const anna = await talk('Anna');
      await anna.mention('Elsewhere');
      await eventually(async () => (await recordedIn(page)).shown.length === 1 || undefined, PATIENCE_MS);
    }));

  it('The notifications of an erased contact vanish, also from an open panel.', () =>
    play(async ({ page }) => {
      const vera = await talk('Vera Visitor');
      await vera.mention('About Vera');
      await (await talk('Anna')).mention('About Anna');
      await bell(page, 2).click();
      await panel(page)
        .getByText(/Vera Visitor/)
        .first()
        .waitFor();
      const { contact_id } = await ben.conversations.get(vera.id);
      await new ServerClient({ baseUrl: service.url, apiKey: desk.key }).contacts.delete(contact_id);
      await eventually(async () => (await panel(page).getByRole('listitem').count()) === 1 || undefined, PATIENCE_MS);
      expect(await panel(page).innerText()).not.toContain('Vera');
      await bell(page, 1).waitFor();
    }));
});

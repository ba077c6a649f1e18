import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { WebSocket } from 'playwright-core';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { ResumingListener } from '../support/outside.js';
import { ChatService } from './support/chat-service.js';
import { Company, PATIENCE_MS } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { TestBrowser, type People } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

let service: ChatService;
let site: CompanySite;
let browser: TestBrowser;

/** Oscillators that a page has started, which the script of each tab counts. */
declare global {
  interface Window {
    tones?: number;
  }
}

/** One of several tabs of a visitor. */
class VisitorTab {
  private constructor(
    readonly visitor: Visitor,
    private readonly sockets: WebSocket[],
  ) {}

  static async open(people: People, url: string): Promise<VisitorTab> {
    const tab = await people.openEmpty();
    const sockets: WebSocket[] = [];
    tab.page.on('websocket', socket => sockets.push(socket));
    await tab.page.addInitScript(() => {
      const { start } = OscillatorNode.prototype;
      window.tones = 0;
      OscillatorNode.prototype.start = function (...when) {
        window.tones! += 1;
        start.apply(this, when);
      };
    });
    const visitor = Visitor.of(tab);
    await visitor.goTo(url);
    return new VisitorTab(visitor, sockets);
  }

  get hasSocket(): boolean {
    return this.sockets.some(socket => !socket.isClosed());
  }

  get sessionRequests(): number {
    return this.visitor.tab.requests.filter(url => url.includes('/v1/widget/session')).length;
  }

  async waitForUnread(count: number): Promise<void> {
    await this.visitor.page.waitForFunction(expected => window.SupportChat!.state.unread === expected, count);
  }

  /** A gesture in the panel, after which the browser allows sounds. */
  async allowSound(): Promise<void> {
    await this.visitor.open();
    await this.visitor.field.click();
    await this.visitor.call('close');
  }

  tones(): Promise<number> {
    return this.visitor.page.evaluate(() => window.tones!);
  }

  /** Ends the tab's process. */
  async crash(): Promise<void> {
    const { page } = this.visitor;
    const session = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    session.send('Page.crash').catch(() => undefined);
    await crashed;
  }
}

interface Scene {
  people: People;
  company: Company;
  /** Opens another tab with the company's page. */
  openTab(): Promise<VisitorTab>;
}

function play(test: (scene: Scene) => Promise<void>): Promise<void> {
  return browser.run(async people => {
    const company = await Company.open(service);
    const url = site.publish({ body: snippet(service.url, company.widgetToken) });
    await test({ people, company, openTab: () => VisitorTab.open(people, url) });
  });
}

/** Opens tabs, in the first of which the visitor has written a message. */
async function openTabs({ openTab }: Scene, count: number, identity?: Parameters<Visitor['call']>[1]) {
  const first = await openTab();
  if (identity) await first.visitor.call('identify', identity as never);
  await first.visitor.open();
  await first.visitor.write('Hello');
  await first.visitor.sent();
  return [first, ...(await Promise.all(Array.from({ length: count - 1 }, openTab)))];
}

const openAll = (tabs: VisitorTab[]) => Promise.all(tabs.map(({ visitor }) => visitor.open()));
const readAll = (tabs: VisitorTab[], text: string) => Promise.all(tabs.map(({ visitor }) => visitor.reads(text)));

/** Sockets of visitors by the metrics of the service. */
async function openSockets(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^sockets_open\{[^}]*visitor[^}]*\} (\d+)$/m.exec(metrics)?.[1]);
}

/** Waits until one of the tabs has a socket, and returns it. */
const waitForLeader = (tabs: VisitorTab[]) => eventually(() => tabs.find(({ hasSocket }) => hasSocket), PATIENCE_MS);

describeInChromium('Tabs of one browser', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([ChatService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('Twelve tabs have one socket and play one sound, and a message that is read in one is read in all.', () =>
    play(async scene => {
      const tabs = await openTabs(scene, 12);
      await tabs[0]!.visitor.call('close');
      for (const tab of tabs.slice(1, 4)) await tab.allowSound();
      await scene.company.answer('How can I help?');
      await Promise.all(tabs.map(tab => tab.waitForUnread(1)));
      await eventually(async () => ((await openSockets()) === 1 ? true : undefined), PATIENCE_MS);
      const sum = async () => (await Promise.all(tabs.map(tab => tab.tones()))).reduce((all, count) => all + count, 0);
      await eventually(async () => ((await sum()) > 0 ? true : undefined), PATIENCE_MS);
      await scene.company.answer('Are you there?');
      await Promise.all(tabs.map(tab => tab.waitForUnread(2)));
      await eventually(async () => ((await sum()) >= 4 ? true : undefined), PATIENCE_MS);
      // two tones for each message
      expect(await sum()).toBe(4);
      await tabs[5]!.visitor.open();
      await Promise.all(tabs.map(tab => tab.waitForUnread(0)));
      expect(tabs.reduce((all, tab) => all + tab.sessionRequests, 0)).toBe(1);
    }));

  it('When the tab with the socket crashes or is closed, another one takes over, and each message arrives once.', () =>
    play(async scene => {
      const tabs = await openTabs(scene, 3);
      await openAll(tabs.slice(1));
      const crashed = await waitForLeader(tabs);
      await scene.company.answer('one');
      await readAll(tabs, 'one');
      await crashed.crash();
      await scene.company.answer('two');
      const rest = tabs.filter(tab => tab !== crashed);
      await readAll(rest, 'two');
      const closed = await waitForLeader(rest);
      await Promise.all([closed.visitor.page.close(), scene.company.answer('three')]);
      const [last] = rest.filter(tab => tab !== closed);
      await last!.visitor.reads('three');
      const texts = await last!.visitor.bubbles();
      expect(texts.map(text => text.trim())).toEqual(['Hello', 'one', 'two', 'three']);
    }));

  it('A message that is sent in one tab shows in the others, also in one that was open before the first message.', () =>
    play(async scene => {
      const early = await scene.openTab();
      const [first] = await openTabs(scene, 1);
      await scene.company.answer('Hello yourself');
      await early.waitForUnread(1);
      await early.visitor.open();
      await early.visitor.write('From the other tab');
      await first!.visitor.reads('From the other tab');
      // the tabs show a message before the service has it
      await early.visitor.sent();
      expect(await scene.company.received()).toEqual(['Hello', 'From the other tab']);
    }));

  it('When another person is named in one tab, the other tabs show nothing of the former one.', () =>
    play(async scene => {
      const identityOf = await scene.company.identities();
      const tabs = await openTabs(scene, 3, identityOf('ada'));
      await openAll(tabs.slice(1));
      await readAll(tabs, 'Hello');
      await tabs[1]!.visitor.field.fill('Draft of Ada');
      await tabs[2]!.visitor.call('identify', identityOf('ben'));
      for (const { visitor } of tabs) {
        await visitor.page.getByText('How can we help?').waitFor();
        expect(await visitor.field.inputValue()).toBe('');
        expect(await visitor.page.getByText('Hello', { exact: true }).count()).toBe(0);
      }
      await tabs[2]!.visitor.write('Ben was here');
      await tabs[2]!.visitor.sent();
      await tabs[0]!.visitor.write('Ben from another tab');
      await tabs[0]!.visitor.sent();
      const conversations = await scene.company.conversations();
      const contacts = conversations.map(({ contact_id }) => contact_id as string);
      const people = await Promise.all(contacts.map(id => scene.company.call('GET', `/v1/contacts/${id}`)));
      expect(people.map(({ external_id }) => external_id as string).sort()).toEqual(['ada', 'ben']);
    }));

  it('After a logout in one tab the other tabs show nothing of the person, and the browser keeps nothing.', () =>
    play(async scene => {
      const identityOf = await scene.company.identities();
      const [first, second] = await openTabs(scene, 2, identityOf('ada'));
      await second!.visitor.open();
      await second!.visitor.reads('Hello');
      await first!.visitor.call('shutdown');
      await second!.visitor.page.getByText('How can we help?').waitFor();
      expect(await second!.visitor.page.getByText('Hello', { exact: true }).count()).toBe(0);
      const stored = await second!.visitor.page.evaluate(() => Object.entries(localStorage).join());
      expect(stored).not.toMatch(/ada|session|person/);
    }));

  it('The page that one tab has set stays known to agents when another tab takes over the socket.', () =>
    play(async scene => {
      const tabs = await openTabs(scene, 3);
      const leader = await waitForLeader(tabs);
      const [second] = tabs.filter(tab => tab !== leader);
      await scene.company.answer('Welcome');
      await openAll(tabs.slice(1));
      await readAll(tabs, 'Welcome');
      const checkout = `${site.origin}/checkout`;
      await second!.visitor.call('setPage', checkout, 'Checkout');
      const { id } = await scene.company.conversation();
      const agent = await ResumingListener.agent(service.url, scene.company.desk.token);
      const page = () => agent.frames.filter(({ type }) => type === 'visitor.page').at(-1)?.['data'].page.url as string;
      const seesCheckout = () => eventually(() => (page() === checkout ? true : undefined), PATIENCE_MS, page);
      agent.send({ type: 'viewing', conversation_id: id });
      await seesCheckout();
      await leader.visitor.page.close();
      await waitForLeader(tabs);
      await scene.company.answer('Still there?');
      await second!.visitor.reads('Still there?');
      agent.frames.splice(0);
      agent.send({ type: 'viewing', conversation_id: null });
      agent.send({ type: 'viewing', conversation_id: id });
      await seesCheckout();
      agent.close();
    }));

  it('A page that does not name the visitor continues as the person whom an earlier page has named.', () =>
    play(async scene => {
      const identityOf = await scene.company.identities();
      const [named] = await openTabs(scene, 1, { ...identityOf('ada'), name: 'Ada' } as never);
      const unnamed = await scene.openTab();
      await unnamed.visitor.open();
      await unnamed.visitor.reads('Hello');
      await unnamed.visitor.write('Still me');
      await named!.visitor.reads('Still me');
      expect(unnamed.sessionRequests).toBe(0);
      expect((await scene.company.conversations()).length).toBe(1);
    }));

  it('Tabs whose session the service no longer accepts open one new session together.', () =>
    play(async scene => {
      const tabs = await openTabs(scene, 3);
      await openAll(tabs.slice(1));
      await readAll(tabs, 'Hello');
      const { contact_id } = await scene.company.conversation();
      await scene.company.call('DELETE', `/v1/contacts/${contact_id}`);
      for (const { visitor } of tabs) await visitor.page.getByText('How can we help?').waitFor();
      await tabs[1]!.visitor.write('A new start');
      await tabs[1]!.visitor.sent();
      await scene.company.answer('Welcome back');
      for (const tab of tabs) await tab.visitor.page.getByText('Welcome back').first().waitFor();
      expect(tabs.reduce((all, tab) => all + tab.sessionRequests, 0)).toBe(2);
    }));
});

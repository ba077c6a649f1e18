import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeWithFleetInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { BalancedService } from './support/balanced-service.js';
import { untilEmpty } from './support/chat-play.js';
import { Company, PATIENCE_MS } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { LiveAgent } from './support/live-agent.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

let service: BalancedService;
let site: CompanySite;
let browser: TestBrowser;
const agents: LiveAgent[] = [];

/** Time (ms) for an answer to a message, on a machine that is ten times slower than a good one. */
const ROUND_TRIP_MS = 10_000;

// Each test has many steps, some of which start processes.
jest.setTimeout(4 * PATIENCE_MS);

/** More than the service sends again after an absence. */
const MANY = 2_000;

interface Scene {
  company: Company;
  /** Has opened the chat. */
  visitor: Visitor;
  /** Opens the page in another tab of the same browser profile, with the chat. */
  openTab(): Promise<Visitor>;
  setOffline(isOffline: boolean): Promise<void>;
}

/** Plays a test with a new company and a visitor. No script of the page may fail. */
function play(test: (scene: Scene) => Promise<void>, prepare: (page: Page) => Promise<void> = async () => {}) {
  return browser.run(async people => {
    const company = await Company.open(service.agentSide);
    const url = site.publish({ body: snippet(service.url, company.widgetToken) });
    const tabs: Visitor[] = [];
    const openTab = async (): Promise<Visitor> => {
      const visitor = Visitor.of(await people.openEmpty());
      await prepare(visitor.page);
      tabs.push(visitor);
      await visitor.goTo(url);
      return visitor.open();
    };
    const setOffline = async (isOffline: boolean) => (await people.profile()).setOffline(isOffline);
    await test({ company, visitor: await openTab(), openTab, setOffline });
    // Chromium itself logs each connection that is cut.
    const isScript = (error: string) => !/ERR_|WebSocket connection|CORS policy/.test(error);
    expect(tabs.flatMap(({ tab }) => tab.errors.filter(isScript))).toEqual([]);
  });
}

async function meet(company: Company, url: string): Promise<LiveAgent> {
  const agent = await LiveAgent.connect(company, url);
  agents.push(agent);
  return agent;
}

/** Writes a message whose answer is lost: the service has it, and the network is cut before the browser knows. */
async function loseAnswerTo(visitor: Visitor, company: Company, text: string): Promise<void> {
  service.network.loseAnswerTo('POST /v1/widget/conversations');
  await visitor.write(text);
  await eventually(async () => ((await company.received()).includes(text) ? true : undefined), PATIENCE_MS);
  await service.network.refuse();
}

/** Marks the document, to see later that it is still the same one. */
async function mark({ page }: Visitor): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-marked', ''));
  return () => page.evaluate(() => document.documentElement.hasAttribute('data-marked'));
}

describeWithFleetInChromium('The chat on a broken network', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([BalancedService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.leave();
    await service.network.heal();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it('A visitor and agents on two instances get each message once, in order and soon, and see each other type and read.', () =>
    play(async ({ company, visitor }) => {
      const [one, other] = await Promise.all(service.fleet.urls.map(url => meet(company, url)));
      await visitor.write('v0');
      await Promise.all([one!.reads('v0'), other!.reads('v0')]);
      const id = (await company.conversation())['id'] as string;
      const expected = ['v0'];
      const times: number[] = [];
      for (let round = 1; round <= 4; round += 1) {
        const [asks, answers] = [`v${round}`, `a${round}`];
        const [first, second] = round % 2 ? [one!, other!] : [other!, one!];
        const start = performance.now();
        await visitor.write(asks);
        await first.reads(asks);
        await first.client.conversations.send(id, answers);
        await visitor.reads(answers);
        times.push(performance.now() - start);
        await Promise.all([first.reads(answers), second.reads(answers)]);
        expected.push(asks, answers);
      }
      expect([one!.received, other!.received, await visitor.bubbles()]).toEqual([expected, expected, expected]);
      expect(times.sort((a, b) => a - b)[1]).toBeLessThan(ROUND_TRIP_MS);

      await visitor.field.pressSequentially('ty');
      for (const agent of [one!, other!]) {
        await agent.receives(frame => frame.type === 'typing' && frame.data.sender_type === 'contact');
        await agent.receives(frame => frame.type === 'conversation.read' && frame.data.reader === 'contact');
      }
      for (const agent of [one!, other!]) {
        // A member types where it is assigned.
        await agent.client.conversations.take(id);
        agent.socket.typing(id);
        await visitor.log.getByText('Olivia Owner is typing').waitFor();
        agent.socket.stopTyping(id);
        await visitor.log.getByText('Olivia Owner is typing').waitFor({ state: 'detached' });
      }
      await visitor.field.fill('v5');
      await visitor.field.press('Enter');
      await one!.reads('v5');
      const { last_seq } = await other!.client.conversations.get(id);
      await other!.client.conversations.read(id, last_seq);
      await visitor.log.getByText('Seen').waitFor();
    }));

  it('A message whose answer was lost with the network is there once after the network has returned.', () =>
    play(async ({ company, visitor }) => {
      await loseAnswerTo(visitor, company, 'first');
      await service.network.heal();
      await visitor.sent();
      await loseAnswerTo(visitor, company, 'second');
      await visitor.log.getByText('Will be sent when you are back online').waitFor();
      await service.network.heal();
      await untilEmpty(visitor);
      await visitor.sent();
      expect([await visitor.bubbles(), await company.received()]).toEqual(Array(2).fill(['first', 'second']));
    }));

  it('A message whose answer was lost is there once when another tab sends it again.', () =>
    play(async ({ company, visitor, openTab }) => {
      await visitor.write('first');
      await visitor.sent();
      const other = await openTab();
      await other.reads('first');
      await loseAnswerTo(visitor, company, 'second');
      await other.reads('second');
      await visitor.page.close();
      await service.network.heal();
      await untilEmpty(other);
      await other.sent();
      expect([await other.bubbles(), await company.received()]).toEqual(Array(2).fill(['first', 'second']));
    }));

  it.each(['first', 'second'])(
    'A %s message whose answer was lost is there once after the page was loaded again.',
    text =>
      play(async ({ company, visitor, openTab }) => {
        const expected = ['first', 'second'].slice(0, text === 'first' ? 1 : 2);
        if (text === 'second') {
          await visitor.write('first');
          await visitor.sent();
        }
        await loseAnswerTo(visitor, company, text);
        await visitor.page.close();
        await service.network.heal();
        const later = await openTab();
        for (const each of expected) await later.reads(each);
        await untilEmpty(later);
        await later.sent();
        expect([await later.bubbles(), await company.received()]).toEqual([expected, expected]);
      }),
  );

  it('A first message whose answer was lost shows with what agents have answered when another page sends it again.', () => {
    // The page has read the conversations before the service answers its message.
    const sendAfterReading = async (page: Page) => {
      const isRead = page.waitForResponse(response => response.url().includes('/v1/widget/conversations?'));
      await page.route('**/v1/widget/conversations', async route => {
        await isRead;
        await route.continue();
      });
    };
    return play(async ({ company, visitor, openTab }) => {
      await loseAnswerTo(visitor, company, 'first');
      await visitor.page.close();
      await company.answer('one');
      await company.answer('two');
      await service.network.heal();
      const later = await openTab();
      await untilEmpty(later);
      await later.reads('two');
      expect(await later.bubbles()).toEqual(['first', 'one', 'two']);
    }, sendAfterReading);
  });

  it('What one tab has written offline is sent in order by the other, which keeps its own unsent text.', () =>
    play(async ({ company, visitor, openTab, setOffline }) => {
      await visitor.write('one');
      await visitor.sent();
      const other = await openTab();
      await other.reads('one');
      await setOffline(true);
      for (const text of ['two', 'three', 'four']) await visitor.write(text);
      await other.reads('four');
      await other.field.fill('Half a sen');
      await visitor.page.close();
      await setOffline(false);
      await untilEmpty(other);
      await other.sent();
      const expected = ['one', 'two', 'three', 'four'];
      expect([await other.bubbles(), await company.received()]).toEqual([expected, expected]);
      expect(await other.field.inputValue()).toBe('Half a sen');
    }));

  it('A page that slept for ten minutes while its connection was lost catches up when it continues.', () =>
    play(
      async ({ company, visitor }) => {
        await visitor.write('Hello');
        await visitor.sent();
        const isSame = await mark(visitor);
        await visitor.page.clock.pauseAt(Date.now() + 1_000);
        service.network.forget();
        await company.answer('While you slept');
        await visitor.page.clock.fastForward('10:00');
        await visitor.page.clock.resume();
        expect(await visitor.bubbles()).toEqual(['Hello']);
        await visitor.page.evaluate(() => document.dispatchEvent(new Event('resume')));
        await visitor.reads('While you slept');
        await visitor.write('Awake');
        await visitor.sent();
        expect([await company.received(), await isSame()]).toEqual([['Hello', 'Awake'], true]);
      },
      page => page.clock.install(),
    ));

  it('A connection that has become silent is replaced after unanswered pings, and nothing is missing.', () =>
    play(
      async ({ company, visitor }) => {
        await visitor.write('Hello');
        await visitor.sent();
        const isSame = await mark(visitor);
        service.network.forget();
        await company.answer('Can you hear me?');
        await visitor.page.clock.runFor(80_000);
        await visitor.reads('Can you hear me?');
        expect(await isSame()).toBe(true);
      },
      page => page.clock.install(),
    ));

  it('A chat that is open survives a restart of the whole service, with what was written meanwhile.', () =>
    play(async ({ company, visitor }) => {
      const { fleet } = service;
      await visitor.write('before');
      await visitor.sent();
      const isSame = await mark(visitor);
      await Promise.all([fleet.instance(0).stop(), fleet.instance(1).stop()]);
      await visitor.write('meanwhile');
      await visitor.log.getByText('Will be sent when you are back online').waitFor();
      await Promise.all([fleet.run(0), fleet.run(1)]);
      await untilEmpty(visitor);
      await company.answer('after');
      await visitor.reads('after');
      expect(await visitor.bubbles()).toEqual(['before', 'meanwhile', 'after']);
      expect([await company.received(), await isSame()]).toEqual([['before', 'meanwhile'], true]);
    }));

  it('After an absence that is too long to catch up, the chat shows the present state and keeps what was unsent.', () =>
    play(async ({ company, visitor }) => {
      const types: unknown[] = [];
      visitor.page.on('websocket', socket =>
        socket.on('framereceived', ({ payload }) =>
          types.push((JSON.parse(String(payload)) as { type: unknown }).type),
        ),
      );
      await visitor.write('before');
      await visitor.sent();
      await company.answer('a0');
      await visitor.reads('a0');
      await service.network.refuse();
      await visitor.write('kept');
      await visitor.field.fill('Half a sen');
      const { id } = await company.conversation();
      const path = `/v1/conversations/${id}/messages`;
      let count = 0;
      const work = async () => {
        while (count < MANY) await company.call('POST', path, { content: `a${(count += 1)}` });
      };
      await Promise.all(Array.from({ length: 8 }, work));
      const last = await company.answer('the last');
      await service.network.heal();
      await visitor.reads('the last');
      await visitor.reads('kept');
      await untilEmpty(visitor);
      expect(types).toContain('sync.required');
      expect(await visitor.field.inputValue()).toBe('Half a sen');
      expect(await company.received()).toEqual(['kept']);
      expect(last['seq']).toBe(MANY + 3);
    }));
});

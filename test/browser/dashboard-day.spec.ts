import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { items, ServerClient } from '../../clients/sdk/src/index.js';
import { loadDialogues } from '../../src/bin/demo/dialogue.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { AgentInbox } from './support/agent-inbox.js';
import { ChatService } from './support/chat-service.js';
import { PlayedDay } from './support/played-day.js';
import { TestBrowser } from './support/test-browser.js';

/**
 * DAY_AGENTS sets the number of agents, DAY_CONVERSATIONS that of conversations, DAY_AT_ONCE those at a time, and
 * DAY_DIALOGUES a file with dialogues; default the demo's own.
 */
const AGENTS = Number(process.env.DAY_AGENTS ?? 2);
const CONVERSATIONS = Number(process.env.DAY_CONVERSATIONS ?? 6);
const AT_ONCE = Number(process.env.DAY_AT_ONCE ?? 4);
/** Growth of a page's memory from the first conversations to the end of the day. */
const MAX_GROWTH_MB = 20;

let service: ChatService;
let browser: TestBrowser;

async function heapMB({ page }: AgentInbox): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value / 1e6;
}

describeInChromium('A day at the desk', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([ChatService.start({ RATE_LIMITS: 'off' }), TestBrowser.start()]);
  }, 240_000);
  afterAll(() => Promise.all([browser.stop(), service.stop()]));

  it(
    'Agents answer all conversations of a day, in which nothing is lost, no page fails, and none grows without end.',
    () =>
      browser.run(async people => {
        const desk = await service.openDesk();
        const server = new ServerClient({ baseUrl: service.url, apiKey: desk.key });
        const inboxes: AgentInbox[] = [];
        for (let number = 1; number <= AGENTS; number += 1) {
          const [name, email] = [`Agent ${number}`, `agent-${number}-${desk.workspaceId}@example.com`];
          await server.members.create({ email, name });
          const entry = { url: service.url, key: desk.key, email, name, view: 'mine' };
          inboxes.push(await AgentInbox.enter(people, entry));
        }
        const all = await loadDialogues(process.env.DAY_DIALOGUES);
        const dialogues = Array.from({ length: CONVERSATIONS }, (_, index) => all[index % all.length]!);
        const day = new PlayedDay(service.url, desk, dialogues, AT_ONCE);
        const visits = day.visit();
        const before = await Promise.all(inboxes.map(heapMB));
        await Promise.all([visits, ...inboxes.map(inbox => day.work(inbox))]);
        const ids = new Map<string, string>();
        for await (const { id, contact, status } of items(next => server.conversations.list({ limit: 200, ...next }))) {
          ids.set(contact.name!, id);
          expect([contact.name, status]).toEqual([contact.name, 'resolved']);
        }
        await day.check(async name => {
          const texts: string[] = [];
          for await (const message of items(next => server.conversations.messages(ids.get(name)!, next))) {
            if (message.content_type !== 'event') texts.push(message.content!);
          }
          return texts;
        });
        expect(day.played).toHaveLength(CONVERSATIONS);
        expect(inboxes.flatMap(({ tab }) => tab.errors)).toEqual([]);
        const growth = (await Promise.all(inboxes.map(heapMB))).map((after, index) => after - before[index]!);
        expect(Math.max(...growth)).toBeLessThan(MAX_GROWTH_MB);
      }),
    120_000 + CONVERSATIONS * 20_000,
  );
});

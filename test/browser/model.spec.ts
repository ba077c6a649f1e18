import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithFleetInChromium } from '../support/describe-in-chromium.js';
import { seeded } from '../support/seeded.js';
import { BalancedService } from './support/balanced-service.js';
import { ChatPlay } from './support/chat-play.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { LiveAgent } from './support/live-agent.js';
import { TestBrowser } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

/** WIDGET_SEEDS sets the number of plays, WIDGET_SEED the first seed, and WIDGET_STEPS the steps of each play. */
const COUNT = Number(process.env.WIDGET_SEEDS ?? 2);
const FIRST = Number(process.env.WIDGET_SEED ?? 1);
const STEPS = Number(process.env.WIDGET_STEPS ?? 50);
const SETTLE_EVERY = 25;

let service: BalancedService;
let site: CompanySite;
let browser: TestBrowser;

/** Plays random steps with a new company. A failure shows the steps. */
function play(seed: number): Promise<void> {
  return browser.run(async people => {
    const company = await Company.open(service.agentSide, { widget_config: { features: { end_chat: true } } });
    const url = site.publish({ body: snippet(service.url, company.widgetToken) });
    const agent = await LiveAgent.connect(company, service.fleet.url);
    const tabs: Visitor[] = [];
    const openTab = async () => {
      const visitor = await Visitor.arrive(people, url);
      tabs.push(visitor);
      return visitor;
    };
    const setOffline = async (isOffline: boolean) => (await people.profile()).setOffline(isOffline);
    const game = new ChatPlay({ service, company, agent, random: seeded(seed), openTab, setOffline });
    try {
      await game.run(STEPS, SETTLE_EVERY, async () => {
        await game.settleUnread();
        // Chromium itself logs each connection that is cut, each request that an instance refuses while it stops, and
        // each repetition that the service refuses while it still works at the request whose response was lost.
        const logs = /ERR_|WebSocket connection|CORS policy|status of 503|status of 409 .*\/v1\/widget\/conversations$/;
        const isScript = (error: string) => !logs.test(error);
        expect(tabs.flatMap(({ tab }) => tab.errors.filter(isScript))).toEqual([]);
      });
    } finally {
      agent.leave();
    }
  });
}

describeWithFleetInChromium('A chat on a random network', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([BalancedService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it.each(Array.from({ length: COUNT }, (_, index) => FIRST + index))(
    'Both sides have every message once and in order, and the right unread count, after the random steps of seed %i.',
    play,
    60_000 + STEPS * 10_000,
  );
});

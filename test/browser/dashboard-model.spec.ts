import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { callApi } from '../support/outside.js';
import { describeWithFleetInChromium } from '../support/describe-in-chromium.js';
import { seeded } from '../support/seeded.js';
import { AgentInbox } from './support/agent-inbox.js';
import { BalancedService } from './support/balanced-service.js';
import { Company } from './support/company.js';
import { CompanySite, snippet } from './support/company-site.js';
import { DeskPlay, type PlayedAgent, type PlayedVisitor } from './support/desk-play.js';
import { TestBrowser, type People } from './support/test-browser.js';
import { Visitor } from './support/visitor.js';

/** DESK_SEEDS sets the number of plays, DESK_SEED the first seed, and DESK_STEPS the steps of each play. */
const COUNT = Number(process.env.DESK_SEEDS ?? 1);
const FIRST = Number(process.env.DESK_SEED ?? 1);
const STEPS = Number(process.env.DESK_STEPS ?? 40);
const SETTLE_EVERY = 20;

let service: BalancedService;
let site: CompanySite;
let browser: TestBrowser;

/** Opens the dashboard of a member by a ticket. */
async function enter(people: People, company: Company, email: string, name: string): Promise<PlayedAgent> {
  const { key } = company.desk;
  const inbox = await AgentInbox.enter(people, { url: service.url, key, email, name, view: 'all' });
  const setOffline = async (isOffline: boolean) => (await people.profile(name)).setOffline(isOffline);
  return { name, inbox, setOffline };
}

/** Plays random steps with a new company. A failure shows the steps. */
function play(seed: number): Promise<void> {
  return browser.run(async people => {
    const company = await Company.open(service.agentSide);
    const email = `ben-${company.desk.workspaceId}@example.com`;
    await callApi('POST', `${service.url}/v1/workspace/members`, company.desk.key, { email, name: 'Ben Backup' });
    const agents = [
      await enter(people, company, company.desk.email, 'Olivia Owner'),
      await enter(people, company, email, 'Ben Backup'),
    ];
    const visitors: PlayedVisitor[] = [];
    for (const name of ['Vera', 'Walter']) {
      const url = site.publish({ body: snippet(service.fleet.url, company.widgetToken) });
      const visitor = await Visitor.arrive(people, url, name);
      await visitor.call('identify', { name });
      visitors.push({ name, visitor: await visitor.open() });
    }
    const game = new DeskPlay({ service, company, agents, visitors, random: seeded(seed) });
    await game.begin();
    await game.run(STEPS, SETTLE_EVERY, async () => {
      await game.settle();
      // Chromium itself logs each connection that is cut.
      const isScript = (error: string) => !/ERR_|WebSocket connection|CORS policy|status of 50[234]/.test(error);
      expect(agents.flatMap(({ inbox }) => inbox.tab.errors.filter(isScript))).toEqual([]);
    });
  });
}

describeWithFleetInChromium('Two agents and two visitors on a random network', () => {
  beforeAll(async () => {
    [service, site, browser] = await Promise.all([BalancedService.start(), CompanySite.start(), TestBrowser.start()]);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([browser.stop(), site.stop(), service.stop()]);
  });

  it.each(Array.from({ length: COUNT }, (_, index) => FIRST + index))(
    'Each screen shows what the service has, and everything written is there once, after the random steps of seed %i.',
    play,
    60_000 + STEPS * 10_000,
  );
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import type { OutsideDesk } from '../support/outside.js';
import { beginConversation, callApi } from '../support/outside.js';
import { PASSWORD, unique } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { PATIENCE_MS } from './support/company.js';
import type { People } from './support/test-browser.js';
import { TestBrowser } from './support/test-browser.js';

const REFRESH_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
const VIEWPORT = { viewport: { width: 1360, height: 1000 } };

let service: ChatService;
let browser: TestBrowser;
let desk: OutsideDesk;

const api = (method: string, path: string, body?: unknown, token = desk.token) =>
  callApi(method, `${service.url}${path}`, token, body);
const report = (name: string, query = '') => api('GET', `/v1/reports/${name}${query}`);

/** Three conversations: one is answered, resolved, rated and tagged, one answered, one waits. */
async function makeHistory(): Promise<void> {
  await api('PATCH', `/v1/channels/${desk.channelId}`, { csat_enabled: true });
  const [first, second] = await Promise.all([1, 2, 3].map(() => beginConversation(service.url, desk)));
  for (const { conversationId } of [first!, second!]) {
    await api('POST', `/v1/conversations/${conversationId}/messages`, { content: 'Hello, this is Olivia.' });
  }
  await api('PATCH', `/v1/conversations/${first!.conversationId}`, { tags: ['parcel'] });
  await api('POST', `/v1/conversations/${first!.conversationId}/resolve`);
  await api('POST', `/v1/widget/conversations/${first!.conversationId}/rating`, { score: 4 }, first!.token);
  // reports count a moment later
  await eventually(async () => {
    const { created, resolved, csat, first_response } = (await report('conversations')).totals;
    const isCounted = created === 3 && resolved === 1 && csat.count === 1 && first_response.count === 2;
    if (!isCounted) return undefined;
    return (await report('tags')).items[0]?.resolved === 1 || undefined;
  }, PATIENCE_MS);
}

/** Signs the owner in by a link, and opens a report. @param channelIds of a limited session */
async function open(people: People, path: string, channelIds?: string[]): Promise<AgentTab> {
  const body = { email: desk.email, ...(channelIds && { channel_ids: channelIds }) };
  const { redirect_url: link } = await api('POST', '/v1/auth/sso/ticket', body, desk.key);
  const tab = await AgentTab.open(people, link as string);
  await tab.isSignedIn('Olivia Owner');
  await tab.page.goto(`${service.url}/dashboard${path}`);
  return tab;
}

/** Runs a test, after which its tabs may have no error in their consoles. */
function play(test: (people: People) => Promise<AgentTab | AgentTab[]>) {
  return browser.run(async people => {
    for (const tab of [await test(people)].flat()) expect(tab.errors).toEqual([]);
  }, VIEWPORT);
}

const cardOf = ({ page }: AgentTab, question: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: question }) });

/** The texts of a table, row by row. */
const rowsOf = ({ page }: AgentTab, part: string) =>
  page
    .locator(`table ${part} tr`)
    .evaluateAll(rows => rows.map(row => [...row.children].map(cell => (cell as HTMLElement).innerText.trim())));

describeInChromium('The reports of the dashboard', () => {
  beforeAll(async () => {
    [service, browser] = await Promise.all([ChatService.start({ RATE_LIMITS: 'off' }), TestBrowser.start()]);
  }, 240_000);
  beforeEach(async () => {
    desk = await service.openDesk();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), service.stop()]);
  });

  it('The overview answers each question with the figures of the API, and has a table and a definition for each.', () =>
    play(async people => {
      await makeHistory();
      const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
      const { totals, items } = await report(
        'conversations',
        `?from=${new Date(midnight - 29 * DAY_MS).toISOString()}`,
      );
      const tab = await open(people, '/reports');
      await tab.sees('How are we doing?');
      const volume = cardOf(tab, 'How much comes in?');
      await volume.getByText('conversations', { exact: true }).waitFor();
      expect(await volume.locator('.answer strong').innerText()).toBe(String(totals.created));
      expect(await volume.locator('.facts dd').allInnerTexts()).toEqual(['1', '0']);
      expect(await cardOf(tab, 'How satisfied are they?').locator('.answer strong').innerText()).toBe('4.0');
      const speed = cardOf(tab, 'How fast do we answer?');
      expect(await speed.locator('.facts dd').last().innerText()).toBe(String(totals.first_response.count));
      expect(await speed.locator('.answer strong').innerText()).toMatch(/^(\d+ s|< 1 s)$/);
      await tab.page.locator('canvas').nth(5).waitFor();

      await volume.getByText('Show as table').click();
      const rows = await volume
        .locator('tbody tr')
        .evaluateAll(found => found.map(row => (row as HTMLElement).innerText.split('\t').slice(1).map(Number)));
      expect(rows).toEqual((items as Json[]).map(item => [item.created, item.resolved, item.reopened]));
      expect(rows.flat().reduce((sum, count) => sum + count, 0)).toBe(4);

      await volume.getByRole('button', { name: 'What “How much comes in?” means' }).focus();
      await volume.getByText('Conversations that began.').waitFor();
      await tab.page.keyboard.press('Escape');
      await tab.isAccessible('the overview');
      return tab;
    }));

  it('Members, channels and tags have a row each with the figures of the API, and the rows can be sorted.', () =>
    play(async people => {
      await makeHistory();
      const tab = await open(people, '/reports/channels');
      await tab.sees('Where do customers write?');
      const [channel] = (await report('channels')).items;
      await tab.page.getByRole('rowheader', { name: channel.name }).waitFor();
      const [row] = await rowsOf(tab, 'tbody');
      expect(row?.slice(0, 4)).toEqual([channel.name, '3', '1', '3']);
      expect(row?.at(-2)).toBe('4.0 (1)');

      await tab.page.getByRole('link', { name: 'Members' }).click();
      await tab.sees('Who does how much?');
      await tab.page.getByRole('rowheader', { name: 'Olivia Owner' }).waitFor();
      const [member] = (await report('members')).items;
      expect((await rowsOf(tab, 'tbody'))[0]?.slice(0, 3)).toEqual([
        'Olivia Owner',
        String(member.resolved),
        String(member.messages_out),
      ]);
      await tab.page.getByRole('button', { name: 'Member', exact: true }).click();
      await tab.page.locator('th[aria-sort=ascending]', { hasText: 'Member' }).waitFor();
      await tab.isAccessible('the report on members');

      await tab.page.getByRole('link', { name: 'Tags' }).click();
      await tab.sees('What is it about?');
      await tab.page.getByRole('rowheader', { name: 'parcel' }).waitFor();
      const [tag] = (await report('tags')).items;
      expect((await rowsOf(tab, 'tbody'))[0]?.slice(0, 3)).toEqual(['parcel', String(tag.created), '1']);
      expect((await rowsOf(tab, 'tfoot'))[0]?.slice(0, 3)).toEqual(['All conversations', '3', '1']);
      await tab.isAccessible('the report on tags');
      return tab;
    }));

  it('Every filter is in the address, which shows the same in another tab, and the limits of the service are kept.', () =>
    play(async people => {
      await makeHistory();
      const tab = await open(people, '/reports');
      await tab.sees('How are we doing?');
      await cardOf(tab, 'How much comes in?').waitFor();
      await tab.field('Time').selectOption({ label: 'Last 90 days' });
      await tab.page.waitForURL(/\?range=90$/);
      expect(await tab.field('Interval').locator('option').allInnerTexts()).toEqual(['By day', 'By week']);
      await tab.field('Interval').selectOption({ label: 'By week' });
      await tab.field('Time zone').selectOption('Asia/Tokyo');
      await tab.field('Channel').selectOption(desk.channelId);
      await tab.field('Member').selectOption(desk.memberId);
      await tab.field('Business hours only').check();
      await tab.page.waitForURL(/hours=business/);
      const query = new URL(tab.page.url()).searchParams;
      expect(Object.fromEntries(query)).toEqual({
        range: '90',
        interval: 'week',
        timezone: 'Asia/Tokyo',
        channel: desk.channelId,
        member: desk.memberId,
        hours: 'business',
      });
      const other = await AgentTab.open(people, tab.page.url());
      await other.sees('How are we doing?');
      expect(await other.field('Interval').inputValue()).toBe('week');
      expect(await other.field('Time zone').inputValue()).toBe('Asia/Tokyo');
      expect(await other.field('Business hours only').isChecked()).toBe(true);
      await other.page.getByText('median, business hours').first().waitFor();

      await tab.page.goBack();
      expect(await tab.field('Business hours only').isChecked()).toBe(false);
      await tab.field('Time').selectOption({ label: 'From … to …' });
      await tab.field('From').fill('2020-01-01');
      await tab.reads('A report covers 366 days at most.');
      await tab.isAccessible('a refused range');
      await tab.page.goto(`${service.url}/dashboard/reports?channel=nowhere`);
      await tab.reads('The service refused this: channel_id');
      return [tab, other];
    }));

  it('A report is downloaded as the file that the API has, with its name.', () =>
    play(async people => {
      await makeHistory();
      const tab = await open(people, '/reports/channels?range=7');
      await tab.page.getByRole('button', { name: 'Download CSV' }).waitFor();
      const [download] = await Promise.all([tab.page.waitForEvent('download'), tab.press('Download CSV')]);
      const content = readFileSync((await download.path()) ?? '', 'utf8');
      const [channel] = (await report('channels')).items;
      expect(download.suggestedFilename()).toMatch(/^channels-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
      expect(content.split('\r\n')[1]).toMatch(new RegExp(`^${channel.channel_id},${channel.name},3,1,0,`));
      await tab.reads('Downloaded channels-');
      return tab;
    }));

  it('The live board follows the desk, keeps its figures without a network, and asks nothing while it is hidden.', () =>
    play(async people => {
      await beginConversation(service.url, desk);
      const tab = await open(people, '/inbox');
      await tab.page.clock.install();
      await tab.page.getByRole('link', { name: 'Reports' }).click();
      await tab.page.getByRole('link', { name: 'Live' }).click();
      await tab.sees('What happens now?');
      const tile = (name: string) => tab.page.locator('.tile', { hasText: name }).locator('dd');
      await tile('Waiting').getByText('1', { exact: true }).waitFor();
      await tab.page.getByRole('row', { name: 'Olivia Owner' }).waitFor();
      await tab.page.getByText(/^As of /).waitFor();
      await tab.isAccessible('the live board');

      await beginConversation(service.url, desk);
      await tab.page.clock.fastForward(REFRESH_MS);
      await tile('Waiting').getByText('2', { exact: true }).waitFor();

      const profile = await people.profile('agent');
      await profile.setOffline(true);
      await tab.page.clock.fastForward(REFRESH_MS);
      await tab.reads(/The service cannot be reached\. These are the figures of /);
      expect(await tile('Waiting').innerText()).toBe('2');
      await profile.setOffline(false);
      await tab.page.getByRole('alert').waitFor({ state: 'hidden' });

      const requests: string[] = [];
      tab.page.on('request', request => requests.push(request.url()));
      const setHidden = (isHidden: boolean) =>
        tab.page.evaluate(value => {
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
          document.dispatchEvent(new Event('visibilitychange'));
        }, isHidden);
      await setHidden(true);
      await tab.page.clock.fastForward(3 * REFRESH_MS);
      expect(requests.filter(url => url.endsWith('/reports/live'))).toEqual([]);
      const asked = tab.page.waitForRequest(/\/reports\/live$/);
      await setHidden(false);
      await asked;
      return tab;
    }));

  it('An agent and a limited session see their own row of the members, and have no audit log.', () =>
    play(async people => {
      const email = `${unique('agent')}@example.com`;
      await api('POST', '/v1/workspace/members', { email, name: 'Gina Guest', password: PASSWORD }, desk.key);
      await makeHistory();
      const agent = await AgentTab.open(people, `${service.url}/dashboard/reports/members`, 'gina');
      await agent.signIn(email);
      await agent.sees('Who does how much?');
      const limited = await open(people, '/reports/live', [desk.channelId]);
      await limited.page.getByRole('rowheader').first().waitFor();
      expect((await rowsOf(limited, 'tbody')).map(([name]) => name)).toEqual(['Olivia Owner']);
      for (const tab of [agent, limited]) {
        expect(await tab.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
        await tab.page.goto(`${service.url}/dashboard/reports/audit`);
        await tab.sees('This page does not exist');
      }
      await agent.page.goto(`${service.url}/dashboard/reports`);
      await cardOf(agent, 'How much comes in?').waitFor();
      expect(await agent.field('Member').locator('option').allInnerTexts()).toEqual(['All members', 'Gina Guest']);
      return [agent, limited];
    }));

  it('The audit log names who did what, and filters it by action, person and day in the address.', () =>
    play(async people => {
      await api('PATCH', `/v1/channels/${desk.channelId}`, { name: 'Harbour' });
      await eventually(
        async () => ((await api('GET', '/v1/audit-log?action=channel.updated')).items as Json[])[0],
        PATIENCE_MS,
      );
      const tab = await open(people, '/reports/audit');
      await tab.sees('Who changed what?');
      await tab.page.getByText('Olivia Owner created an API key: backend').waitFor();
      const changed = tab.page.getByText('Olivia Owner changed a channel: Harbour');
      await changed.click();
      await tab.page.getByText(desk.channelId).first().waitFor();
      await tab.isAccessible('the audit log');
      await tab.field('Action').selectOption('channel.*');
      await tab.page.waitForURL(/action=channel\.\*$/);
      await tab.page.getByText('created an API key: backend').waitFor({ state: 'detached' });
      await changed.waitFor();
      await tab.field('By').selectOption({ label: 'backend' });
      await tab.page.getByText('No entry matches these filters.').waitFor();
      await tab.press('Remove filters');
      await tab.page.getByText('Olivia Owner created an API key: backend').waitFor();
      await tab.field('From').fill('2035-01-01');
      await tab.page.getByText('No entry matches these filters.').waitFor();
      return tab;
    }));

  it('A workspace without conversations explains its reports and offers one next step.', () =>
    play(async people => {
      const tab = await open(people, '/reports');
      await tab.page.getByRole('heading', { name: 'No conversations in this time' }).waitFor();
      await tab.isAccessible('an empty report');
      await tab.press('Show the last 90 days');
      await tab.page.getByRole('link', { name: 'Put the widget on your page' }).waitFor();
      return tab;
    }));
});

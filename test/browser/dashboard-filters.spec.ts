import { expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { PASSWORD, unique } from '../support/unique.js';
import { AgentTab } from './support/agent-tab.js';
import { PATIENCE_MS } from './support/company.js';
import { DeskStage } from './support/desk-stage.js';
import type { People } from './support/test-browser.js';

const stage = new DeskStage();

/** Starts a conversation. @returns its id */
async function talk(name: string): Promise<string> {
  const visitor = await stage.visit(name);
  return (await visitor.startConversation(`This is ${name}`)).conversation.id;
}

/** Waits until the list has these rows, from above. */
async function lists(page: Page, ...names: string[]): Promise<void> {
  const shown = () => page.locator('.row > .name').allInnerTexts();
  await eventually(async () => (await shown()).join() === names.join() || undefined, PATIENCE_MS, shown);
}

const chips = (page: Page) => page.getByRole('group', { name: 'Filters' });
const searchOf = (page: Page) => new URL(page.url()).searchParams;

/** Chooses from the menu of filters by the keyboard alone. */
async function filterBy(page: Page, name: string, ...values: string[]): Promise<void> {
  await page.keyboard.press('f');
  await page.getByRole('combobox', { name: 'Filter' }).waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  for (const value of values) {
    await page.getByRole('combobox', { name }).waitFor();
    await page.keyboard.type(value);
    await page.getByRole('option', { name: value, exact: true }).waitFor();
    await page.keyboard.press('Enter');
  }
  if (values.length > 0) await page.keyboard.press('Escape');
}

async function openInbox(people: People, email = stage.desk.email, path = '/inbox/open', person = 'agent') {
  const tab = await AgentTab.open(people, `${stage.service.url}/dashboard${path}`, person);
  await tab.signIn(email);
  return tab;
}

/** Runs a test with the owner at the open conversations. */
function play(test: (tab: AgentTab, people: People) => Promise<void>, options: BrowserContextOptions = {}) {
  return stage.browser.run(async people => {
    const tab = await openInbox(people);
    await tab.isSignedIn('Olivia Owner');
    await test(tab, people);
    expect(tab.errors).toEqual([]);
  }, options);
}

describeInChromium('The filters of the inbox', () => {
  stage.register();

  it('An agent filters the list by the keyboard, and a link shows a colleague the same.', () =>
    play(async ({ page }, people) => {
      await stage.server.conversations.update(await talk('Anna'), { tags: ['vip'], priority: 'high' });
      await stage.server.conversations.update(await talk('Ben'), { tags: ['vip'], priority: 'low' });
      await stage.server.conversations.update(await talk('Cleo'), { priority: 'urgent' });
      await lists(page, 'Cleo', 'Ben', 'Anna');
      await filterBy(page, 'Priority', 'High', 'Urgent');
      await lists(page, 'Cleo', 'Anna');
      await filterBy(page, 'Tag', 'vip');
      await lists(page, 'Anna');
      expect(Object.fromEntries(searchOf(page))).toEqual({ status: 'open', tag: 'vip', priority: 'high,urgent' });
      await page.getByRole('option', { name: 'Anna' }).click();
      await page.getByRole('region', { name: 'Conversation with Anna' }).waitFor();
      await lists(page, 'Anna');
      const email = `${unique('cora')}@example.com`;
      await stage.server.members.create({ email, name: 'Cora Colleague', password: PASSWORD });
      const { pathname, search } = new URL(page.url());
      const link = (pathname + search).replace('/dashboard', '');
      const cora = await openInbox(people, email, link, 'colleague');
      await cora.page.getByRole('region', { name: 'Conversation with Anna' }).waitFor();
      await lists(cora.page, 'Anna');
      await chips(cora.page).getByRole('button', { name: 'Remove filter: Tag' }).click();
      await lists(cora.page, 'Cleo', 'Anna');
      await lists(page, 'Anna');
      expect(cora.errors).toEqual([]);
    }));

  it('A filtered list follows what happens, and its end leads back to the view before.', () =>
    play(async tab => {
      const { page } = tab;
      const anna = await talk('Anna');
      await talk('Ben');
      await lists(page, 'Ben', 'Anna');
      await filterBy(page, 'Priority', 'Urgent');
      await page.getByText('No conversation matches these filters.').waitFor();
      await stage.server.conversations.update(anna, { priority: 'urgent' });
      await lists(page, 'Anna');
      await chips(page).getByRole('button', { name: 'Priority: Urgent' }).click();
      await page.getByRole('option', { name: 'No priority', exact: true }).click();
      await page.keyboard.press('Escape');
      await lists(page, 'Ben', 'Anna');
      await tab.isAccessible('a filtered list');
      await filterBy(page, 'Order', 'Oldest first');
      await lists(page, 'Anna', 'Ben');
      await chips(page).getByRole('button', { name: 'Clear' }).click();
      await tab.sees('Open');
      expect(page.url()).toBe(`${stage.service.url}/dashboard/inbox/open`);
    }));

  it('An owner saves filters as a view of the whole team, and a colleague has no such choice.', () =>
    play(async (tab, people) => {
      const { page } = tab;
      await stage.server.conversations.update(await talk('Anna'), { tags: ['vip'] });
      await talk('Ben');
      await lists(page, 'Ben', 'Anna');
      const email = `${unique('cora')}@example.com`;
      await stage.server.members.create({ email, name: 'Cora Colleague', password: PASSWORD });
      const cora = await openInbox(people, email, '/inbox/filter?tag=vip', 'colleague');
      await lists(cora.page, 'Anna');
      await chips(cora.page).getByRole('button', { name: 'Save as view' }).click();
      expect(await cora.page.getByRole('checkbox', { name: 'For the whole team' }).count()).toBe(0);
      await cora.page.keyboard.press('Escape');

      await filterBy(page, 'Tag', 'vip');
      await lists(page, 'Anna');
      await chips(page).getByRole('button', { name: 'Save as view' }).click();
      await tab.isAccessible('the dialog of a new view');
      await tab.press('Save');
      await page.getByText('Enter a name of at most 200 characters.').waitFor();
      await tab.fill({ Name: 'Important people' });
      await page.getByRole('checkbox', { name: 'For the whole team' }).check();
      await tab.press('Save');
      await tab.sees('Important people');
      await lists(page, 'Anna');
      const { items } = await stage.server.views.list();
      expect(items).toMatchObject([
        { name: 'Important people', shared: true, filters: { status: 'open', tag: 'vip' } },
      ]);
      await cora.page.getByRole('link', { name: 'Important people' }).click();
      await lists(cora.page, 'Anna');
      expect(cora.errors).toEqual([]);
    }));
});

import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { VisitorClient } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { callApi } from '../support/outside.js';
import { AgentInbox } from './support/agent-inbox.js';
import { AgentTab } from './support/agent-tab.js';
import { DeskStage } from './support/desk-stage.js';
import { forgets, keeps } from './support/memory-of-browser.js';
import type { People } from './support/test-browser.js';

const API = '**/v1/**';

const stage = new DeskStage({ RATE_LIMITS: 'off' });

async function talk(name: string, text: string): Promise<VisitorClient> {
  const visitor = await stage.visit(name);
  await visitor.startConversation(text);
  return visitor;
}

/** Runs a test with the owner at the conversation with Anna, once the browser has stored it. */
function play(test: (inbox: AgentInbox, people: People, anna: VisitorClient) => Promise<void>): Promise<void> {
  return stage.browser.run(async people => {
    const anna = await talk('Anna', 'Where is my zebra?');
    await talk('Ben', 'Hi');
    const entry = {
      url: stage.service.url,
      key: stage.desk.key,
      email: stage.desk.email,
      name: 'Olivia Owner',
      view: 'unassigned',
    };
    const inbox = await AgentInbox.enter(people, entry);
    await inbox.open('Anna');
    await inbox.reads('Where is my zebra?');
    await keeps(inbox, 'Where is my zebra?');
    await test(inbox, people, anna);
    expect(inbox.tab.errors.filter(text => !/ERR_/.test(text))).toEqual([]);
  });
}

/** Pauses all calls of the API. @returns lets them go on */
async function pauseCalls(page: Page): Promise<() => void> {
  let goOn = (): void => undefined;
  const isOver = new Promise<void>(resolve => (goOn = resolve));
  await page.route(API, async route => {
    await isOver;
    await route.continue();
  });
  return goOn;
}

const sees = async (inbox: AgentInbox): Promise<void> => {
  await inbox.row('Anna').waitFor();
  await inbox.reads('Where is my zebra?');
};

describeInChromium('The dashboard before the service has answered', () => {
  stage.register();

  it('A reloaded inbox shows its list and the open conversation at once, and what has changed as soon as the service answers.', () =>
    play(async (inbox, _people, anna) => {
      await inbox.page.goto('about:blank');
      const [{ id } = { id: '' }] = (await anna.conversations()).items;
      await anna.send(id, { content: 'It was striped' });
      const ben = (await stage.server.conversations.list({})).items.find(({ contact }) => contact.name === 'Ben');
      await stage.server.conversations.resolve(ben!.id);
      await talk('Carl', 'Good day');
      const release = await pauseCalls(inbox.page);
      await inbox.page.goBack();
      await sees(inbox);
      await inbox.tab.isSignedIn('Olivia Owner');
      expect([await inbox.names(), await inbox.texts()]).toEqual([['Ben', 'Anna'], ['Where is my zebra?']]);
      release();
      await inbox.reads('It was striped');
      await inbox.row('Ben').waitFor({ state: 'detached' });
      await inbox.row('Carl').waitFor();
      expect([await inbox.names(), await inbox.texts()]).toEqual([
        ['Carl', 'Anna'],
        ['Where is my zebra?', 'It was striped'],
      ]);
    }));

  it('A reloaded inbox stays on the screen while the service does not answer, and continues by itself.', () =>
    play(async (inbox, _people, anna) => {
      await inbox.page.route(API, route => route.abort());
      await inbox.page.reload();
      await sees(inbox);
      await inbox.reply.fill('Half a sen');
      const [{ id } = { id: '' }] = (await anna.conversations()).items;
      await anna.send(id, { content: 'It was striped' });
      await inbox.page.unroute(API);
      await inbox.reads('It was striped');
      expect(await inbox.reply.inputValue()).toBe('Half a sen');
    }));

  it('After a sign-out nothing of the conversations is left in the browser.', () =>
    play(async inbox => {
      await inbox.tab.choose('Sign out');
      await inbox.tab.sees('Sign in');
      await forgets(inbox, 'Anna', 'zebra', 'Olivia');
    }));

  it('Another session of the browser never shows what the former one has stored.', () =>
    play(async (inbox, people) => {
      const other = await stage.server.channels.create({ name: 'Shop' });
      const body = { email: stage.desk.email, channel_ids: [other.id] };
      const { redirect_url: link } = await callApi(
        'POST',
        `${stage.service.url}/v1/auth/sso/ticket`,
        stage.desk.key,
        body,
      );
      const tab = await AgentTab.open(people, link as string, 'Olivia Owner');
      await tab.page.getByText('Limited to 1 channel').waitFor();
      const release = await pauseCalls(tab.page);
      await tab.page.reload();
      await tab.page.locator('main').first().waitFor();
      expect(await tab.page.getByText('Anna').count()).toBe(0);
      release();
      await tab.page.getByText('Limited to 1 channel').waitFor();
      await inbox.page.close();
      await forgets(new AgentInbox(tab), 'Anna', 'zebra');
    }));
});

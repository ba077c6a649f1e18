import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { ServerClient, type VisitorClient } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { AgentInbox } from './support/agent-inbox.js';
import { AgentTab } from './support/agent-tab.js';
import { ChatService } from './support/chat-service.js';
import { PATIENCE_MS } from './support/company.js';
import { DeskStage } from './support/desk-stage.js';
import { forgets, keeps } from './support/memory-of-browser.js';
import type { People } from './support/test-browser.js';

/** More than the service sends again after an absence. */
const MANY = 1_500;
/** Lifetime of an access token where dates run 60 times as fast. */
const FAST_TOKEN_MS = 15_000;

const stage = new DeskStage({ RATE_LIMITS: 'off' });

async function talk(name: string, text: string): Promise<{ visitor: VisitorClient; id: string; contactId: string }> {
  const visitor = await stage.visit(name);
  const { conversation } = await visitor.startConversation(text);
  const { contact_id: contactId } = await stage.server.conversations.get(conversation.id);
  return { visitor, id: conversation.id, contactId };
}

const enter = (people: People, email: string, name: string): Promise<AgentInbox> =>
  AgentInbox.enter(people, { url: stage.service.url, key: stage.desk.key, email, name, view: 'unassigned' });

/** Runs a test with the owner at the inbox. No tab may have an error in its console afterwards. */
function play(test: (inbox: AgentInbox, people: People) => Promise<void>): Promise<void> {
  return stage.browser.run(async people => {
    const inbox = await enter(people, stage.desk.email, 'Olivia Owner');
    await test(inbox, people);
    // Chromium itself logs each request that is cut or refused.
    expect(inbox.tab.errors.filter(text => !/ERR_|^Failed to load resource/.test(text))).toEqual([]);
  });
}

/** Creates an agent, and opens the dashboard for it. */
async function employ(people: People): Promise<{ id: string; inbox: AgentInbox }> {
  const email = `ben-${stage.desk.workspaceId}@example.com`;
  const { id } = await stage.server.members.create({ email, name: 'Ben Backup' });
  return { id, inbox: await enter(people, email, 'Ben Backup') };
}

/** Marks the document. @returns true as long as it is the same one */
async function mark({ page }: AgentInbox): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.setAttribute('data-marked', ''));
  return () => page.evaluate(() => document.documentElement.hasAttribute('data-marked'));
}

describeInChromium('The dashboard after an absence, and after rights have changed', () => {
  stage.register();

  it('After more events than the service sends again, the inbox shows the present state without a reload, and keeps the draft.', () =>
    play(async inbox => {
      const types: unknown[] = [];
      inbox.page.on('websocket', socket =>
        socket.on('framereceived', ({ payload }) =>
          types.push((JSON.parse(String(payload)) as { type: unknown }).type),
        ),
      );
      const [anna, ben] = [await talk('Anna', 'Hello'), await talk('Ben', 'Hi')];
      await inbox.open('Anna');
      await inbox.reads('Hello');
      await inbox.reply.fill('Half a sen');
      const isSame = await mark(inbox);
      await stage.service.network.refuse();
      const direct = new ServerClient({ baseUrl: stage.service.directUrl, apiKey: stage.desk.key });
      let count = 0;
      const work = async () => {
        while (count < MANY)
          await direct.conversations.send(ben.id, {
            content: `Event ${(count += 1)}`,
            member_id: stage.desk.memberId,
          });
      };
      await Promise.all(Array.from({ length: 8 }, work));
      await direct.conversations.send(anna.id, { content: 'Meanwhile', member_id: stage.desk.memberId });
      await direct.conversations.resolve(ben.id);
      await stage.service.network.heal();
      await inbox.reads('Meanwhile');
      await inbox.row('Ben').waitFor({ state: 'detached' });
      expect(types).toContain('sync.required');
      expect([await inbox.reply.inputValue(), await isSame()]).toEqual(['Half a sen', true]);
      await inbox.openView('Resolved');
      await inbox.open('Ben');
      await inbox.reads(`Event ${MANY}`);
    }));

  it('Three tabs of an agent renew their session once for all whenever it ends, and stay signed in.', async () => {
    const fast = await ChatService.start({ NODE_OPTIONS: '--import ./test/support/fast-date.js' });
    const { email } = await fast.openDesk();
    await stage.browser.run(async people => {
      const tabs: AgentTab[] = [];
      const refreshes: number[] = [];
      const startedAt = Date.now();
      for (let count = 0; count < 3; count += 1) {
        const tab = await AgentTab.open(people, `${fast.url}/dashboard/settings/profile`);
        tab.page.on('response', response => {
          if (response.url().endsWith('/v1/auth/refresh')) refreshes.push(response.status());
        });
        if (count === 0) await tab.signIn(email);
        await tab.isSignedIn('Olivia Owner');
        tabs.push(tab);
      }
      while (Date.now() - startedAt < 3.5 * FAST_TOKEN_MS) {
        for (const { page } of tabs) {
          await page.getByRole('link', { name: 'Settings' }).click();
          await page.getByRole('link', { name: 'Members and invites' }).click();
          await page.getByText('Olivia Owner').last().waitFor();
          await page.getByRole('link', { name: 'Inbox' }).click();
        }
        await delay(1_000);
      }
      for (const tab of tabs) await tab.isSignedIn('Olivia Owner');
      const lifetimes = Math.floor((Date.now() - startedAt) / FAST_TOKEN_MS);
      expect(new Set(refreshes)).toEqual(new Set([200]));
      expect(refreshes.length).toBeGreaterThanOrEqual(2);
      expect(refreshes.length).toBeLessThanOrEqual(lifetimes + 1);
    });
    await fast.stop();
  });

  it('A member who is deactivated is at the sign-in at once, and nothing of the conversations is left in its browser.', () =>
    play(async (_, people) => {
      await talk('Vera Visitor', 'The zebra is missing');
      const { id, inbox } = await employ(people);
      await inbox.open('Vera Visitor');
      await inbox.reads('The zebra is missing');
      await keeps(inbox, 'zebra');
      await stage.server.members.deactivate(id);
      await inbox.tab.sees('Sign in');
      await forgets(inbox, 'Vera', 'zebra');
    }));

  it('A member whose channels are limited loses the others from view and from the browser at once.', () =>
    play(async (_, people) => {
      await talk('Vera Visitor', 'The zebra is missing');
      const other = await stage.server.channels.create({ name: 'Shop' });
      const { id, inbox } = await employ(people);
      await inbox.open('Vera Visitor');
      await inbox.reads('The zebra is missing');
      await inbox.reply.fill('Which zebra?');
      await keeps(inbox, 'zebra is missing');
      await stage.server.members.update(id, { channel_ids: [other.id] });
      await inbox.row('Vera Visitor').waitFor({ state: 'detached' });
      await forgets(inbox, 'Vera', 'zebra');
    }));

  it('Nothing of an erased contact is left on the screen or in the browser.', () =>
    play(async inbox => {
      const { contactId } = await talk('Vera Visitor', 'The zebra is missing');
      await talk('Walter', 'Hi');
      await inbox.open('Walter');
      await inbox.open('Vera Visitor');
      await inbox.reads('The zebra is missing');
      await inbox.reply.fill('Dear Vera, which zebra?');
      for (const text of ['which zebra', 'zebra is missing']) await keeps(inbox, text);
      await stage.server.contacts.delete(contactId);
      await inbox.row('Vera Visitor').waitFor({ state: 'detached' });
      await inbox.page.getByText('This conversation is not here').waitFor();
      await forgets(inbox, 'Vera', 'zebra');
    }));

  it('A text for a contact that was erased meanwhile is removed at the next start, whatever the screen shows.', () =>
    play(async inbox => {
      const { contactId } = await talk('Vera Visitor', 'Hello');
      await inbox.open('Vera Visitor');
      await inbox.reply.fill('Dear Vera, which zebra?');
      await keeps(inbox, 'which zebra');
      await inbox.page.goto('about:blank');
      await stage.server.contacts.delete(contactId);
      await inbox.page.goto(`${stage.service.url}/dashboard/settings/profile`);
      await forgets(inbox, 'Vera', 'zebra');
    }));

  it('A reply that a colleague was faster than is not sent until the agent has seen the answer and wants it.', () =>
    play(async (inbox, people) => {
      const { id } = await talk('Anna', 'Hello');
      await inbox.open('Anna');
      await inbox.reads('Hello');
      const profile = await people.profile('Olivia Owner');
      await profile.setOffline(true);
      await stage.server.conversations.send(id, {
        content: 'It is solved',
        member_id: (await employ(people)).id,
      });
      await inbox.reply.fill('I do not know');
      await inbox.reply.press('Enter');
      await profile.setOffline(false);
      await inbox.reads('It is solved');
      await inbox.page.getByText('Not sent: somebody has answered meanwhile.').waitFor();
      const texts = async () => (await stage.server.conversations.messages(id)).items.map(({ content }) => content);
      expect(await texts()).not.toContain('I do not know');
      await inbox.button('Send anyway').click();
      await eventually(async () => (await texts()).includes('I do not know') || undefined, PATIENCE_MS);
    }));

  it('An action that the service refuses goes back with its reason, and can be tried again.', () =>
    play(async inbox => {
      const { id } = await talk('Anna', 'Hello');
      await talk('Ben', 'Hi');
      await inbox.open('Anna');
      await inbox.page.route('**/resolve', async route => {
        // somebody changes it in the moment before
        await stage.server.conversations.update(id, { priority: 'high' });
        await route.continue();
      });
      await inbox.page.keyboard.press('e');
      await inbox.confirms('Somebody has changed it meanwhile.');
      await inbox.row('Anna').waitFor();
      await inbox.page.unroute('**/resolve');
      await inbox.page.locator('.toasts').getByRole('button', { name: 'Try again' }).click();
      await inbox.row('Anna').waitFor({ state: 'detached' });
      await eventually(
        async () => (await stage.server.conversations.get(id)).status === 'resolved' || undefined,
        PATIENCE_MS,
      );
    }));

  it('A page whose files are gone after a deployment loads again once by itself, with its drafts.', () =>
    play(async inbox => {
      await talk('Anna', 'Hello');
      await inbox.open('Anna');
      await inbox.reply.fill('Half a sen');
      const isSame = await mark(inbox);
      let isGone = true;
      await inbox.page.route(/assets\/reports-[^/]*\.js/, route =>
        isGone ? route.fulfill({ status: 404 }) : route.continue(),
      );
      inbox.page.once('load', () => (isGone = false));
      await inbox.page.getByRole('link', { name: 'Reports' }).click();
      await inbox.tab.sees('How are we doing?');
      expect(await isSame()).toBe(false);
      await inbox.page.goto(`${stage.service.url}/dashboard/inbox/all`);
      await inbox.open('Anna');
      expect(await inbox.reply.inputValue()).toBe('Half a sen');
    }));
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { items, type ConversationView, type VisitorClient } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { AgentInbox } from './support/agent-inbox.js';
import { AgentTab } from './support/agent-tab.js';
import { PATIENCE_MS } from './support/company.js';
import { DeskStage } from './support/desk-stage.js';
import type { People } from './support/test-browser.js';

const stage = new DeskStage();

/** A visitor with a conversation. */
interface Talk {
  visitor: VisitorClient;
  id: string;
}

async function talk(name: string, text: string): Promise<Talk> {
  const visitor = await stage.visit(name);
  return { visitor, id: (await visitor.startConversation(text)).conversation.id };
}

/** Waits until the service shows the conversation so. */
function becomes(id: string, fields: Partial<ConversationView>): Promise<ConversationView> {
  return eventually(async () => {
    const view = await stage.server.conversations.get(id);
    const expected = Object.entries(fields).every(([field, value]) => {
      return JSON.stringify(view[field as keyof ConversationView]) === JSON.stringify(value);
    });
    return expected ? view : undefined;
  }, PATIENCE_MS);
}

async function textsOf(id: string): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  for await (const message of items(next => stage.server.conversations.messages(id, next))) {
    if (message.content_type !== 'event') texts.push(message.content);
  }
  return texts;
}

/** Runs a test with the owner at the inbox. No tab may have an error in its console afterwards. */
function play(
  test: (inbox: AgentInbox, people: People) => Promise<void>,
  { path = '/inbox/unassigned', ...options }: BrowserContextOptions & { path?: string } = {},
) {
  return stage.browser.run(async people => {
    const tab = await AgentTab.open(people, `${stage.service.url}/dashboard${path}`);
    await tab.signIn(stage.desk.email);
    await tab.isSignedIn('Olivia Owner');
    await test(new AgentInbox(tab), people);
    expect(tab.errors).toEqual([]);
  }, options);
}

describeInChromium('The inbox of the dashboard', () => {
  stage.register();

  it('An agent sees a conversation arrive, answers it, and reads what the visitor answers.', () =>
    play(async inbox => {
      await inbox.page.getByText('Every open conversation has somebody.').waitFor();
      const { visitor, id } = await talk('Vera Visitor', 'Where is my parcel?');
      await inbox.open('Vera Visitor');
      await inbox.reads('Where is my parcel?');
      await becomes(id, { unread: { agents: 0, contact: 0 } });
      await inbox.reply.fill('It arrives tomorrow.');
      await inbox.reply.press('Enter');
      await inbox.reads('It arrives tomorrow.');
      await inbox.sent();
      await visitor.send(id, 'Thank you');
      await inbox.reads('Thank you');
      expect(await textsOf(id)).toEqual(['Where is my parcel?', 'It arrives tomorrow.', 'Thank you']);
      expect(await inbox.reply.inputValue()).toBe('');
    }));

  it('The newest activity stands first, and a view shows what matches it alone.', () =>
    play(async inbox => {
      const first = await talk('Anna', 'First');
      await talk('Ben', 'Second');
      await eventually(async () => (await inbox.names()).join() === 'Ben,Anna' || undefined, PATIENCE_MS);
      await first.visitor.send(first.id, 'Again');
      await eventually(async () => (await inbox.names()).join() === 'Anna,Ben' || undefined, PATIENCE_MS);
      await inbox.open('Anna');
      await inbox.page.keyboard.press('t');
      await becomes(first.id, { assignee_id: stage.desk.memberId });
      await eventually(async () => (await inbox.names()).join() === 'Ben' || undefined, PATIENCE_MS);
      await inbox.openView('Assigned to you');
      await eventually(async () => (await inbox.names()).join() === 'Anna' || undefined, PATIENCE_MS);
    }));

  it('A resolve shows the next conversation at once, and is taken back by a key.', () =>
    play(async inbox => {
      const [anna, ben] = [await talk('Anna', 'First'), await talk('Ben', 'Second')];
      await inbox.open('Ben');
      await inbox.page.keyboard.press('e');
      await inbox.confirms('Ben is resolved.');
      await inbox.page.getByRole('region', { name: 'Conversation with Anna' }).waitFor();
      await becomes(ben.id, { status: 'resolved' });
      await inbox.page.keyboard.press('z');
      await becomes(ben.id, { status: 'open', reopened_count: 0 });
      await inbox.row('Ben').waitFor();
      await becomes(anna.id, { status: 'open' });
    }));

  it('A menu that is opened at once after it was closed stays open.', () =>
    play(async inbox => {
      await talk('Anna', 'Hello');
      await inbox.open('Anna');
      const { keyboard } = inbox.page;
      await keyboard.press('Escape');
      const field = inbox.page.getByRole('combobox', { name: 'Priority' });
      for (const last of ['Enter', 'Escape']) {
        await keyboard.press('p');
        // two keys before the browser's next task, as on a busy machine
        await field.evaluate(async (element, key) => {
          element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
          await Promise.resolve();
          document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'p', code: 'KeyP', bubbles: true }));
        }, last);
        await inbox.page.waitForTimeout(300);
        expect([last, await field.isVisible()]).toEqual([last, true]);
        await keyboard.press('Escape');
        await field.waitFor({ state: 'detached' });
      }
    }));

  it('An agent assigns, tags, prioritises and snoozes by keys and menus.', () =>
    play(async inbox => {
      const { id } = await talk('Anna', 'Hello');
      await inbox.open('Anna');
      const { keyboard } = inbox.page;
      const choose = async (key: string, field: string, text: string) => {
        await keyboard.press(key);
        await inbox.page.getByRole('combobox', { name: field }).waitFor();
        await keyboard.type(text);
        await keyboard.press('Enter');
      };
      await choose('p', 'Priority', 'urg');
      await becomes(id, { priority: 'urgent' });
      await choose('l', 'Tags', 'parcel');
      await becomes(id, { tags: ['parcel'] });
      await keyboard.press('Escape');
      await choose('a', 'Assign', 'olivia');
      await becomes(id, { assignee_id: stage.desk.memberId });
      await inbox.openView('Assigned to you');
      await inbox.open('Anna');
      await choose('h', 'Snooze', 'tomorrow');
      const { snoozed_until: until } = await becomes(id, { status: 'snoozed' });
      expect(Date.parse(until ?? '')).toBeGreaterThan(Date.now());
      const endSnooze = inbox.page.getByRole('button', { name: 'End snooze' });
      const ended = inbox.page.getByText('You ended the snooze');
      await endSnooze.waitFor();
      await keyboard.press('z');
      await ended.waitFor();
      await endSnooze.waitFor({ state: 'detached' });
      await becomes(id, { status: 'open', snoozed_until: null });
      await choose('h', 'Snooze', 'until');
      await becomes(id, { status: 'snoozed', snoozed_until: null });
      await inbox.page.getByText('You snoozed it until the contact writes').waitFor();
      await keyboard.press('Shift+H');
      await ended.nth(1).waitFor();
      await becomes(id, { status: 'open' });
      await keyboard.press('z');
      await becomes(id, { status: 'snoozed', snoozed_until: null });
    }));

  it('A resolve right after a reply on a slow network comes after the reply, which would reopen the conversation.', () =>
    play(async inbox => {
      const { id } = await talk('Anna', 'Hello');
      await inbox.open('Anna');
      await inbox.page.route('**/messages', async route => {
        if (route.request().method() === 'POST') await delay(2_000);
        await route.continue();
      });
      await inbox.reply.fill('Done.');
      await inbox.reply.press('Enter');
      await inbox.reply.press('Escape');
      await inbox.page.keyboard.press('e');
      await inbox.confirms('Anna is resolved.');
      expect(await textsOf(id)).toEqual(['Hello']);
      const { last_message: last } = await becomes(id, { status: 'resolved' });
      expect(last?.preview).toBe('Done.');
    }));

  it('A note stays within the team, mentions a colleague, and its draft is apart from that of the reply.', () =>
    play(async inbox => {
      const colleague = await stage.server.members.create({
        email: `ben-${stage.desk.workspaceId}@example.com`,
        name: 'Ben Backup',
      });
      const { visitor, id } = await talk('Anna', 'Hello');
      await inbox.open('Anna');
      await inbox.reply.fill('A reply that waits');
      await inbox.page.getByRole('radio', { name: 'Note' }).check();
      const note = inbox.page.getByRole('textbox', { name: 'Note for the team' });
      await note.pressSequentially('Ask @ben');
      await inbox.page.getByRole('option', { name: 'Ben Backup' }).waitFor();
      await note.press('Enter');
      await note.pressSequentially('please');
      await note.press('Enter');
      await inbox.reads('Ask @Ben Backup please');
      const { items: messages } = await eventually(async () => {
        const page = await stage.server.conversations.messages(id);
        return page.items.some(message => message.private) ? page : undefined;
      }, PATIENCE_MS);
      expect(messages.find(message => message.private)).toMatchObject({ metadata: { mentions: [colleague.id] } });
      expect((await visitor.messages(id)).items.map(({ content }) => content)).toEqual(['Hello']);
      await inbox.page.reload();
      await inbox.tab.isSignedIn('Olivia Owner');
      await inbox.page.getByRole('radio', { name: 'Reply' }).check();
      expect(await inbox.reply.inputValue()).toBe('A reply that waits');
    }));

  it('A reply that is written without a network says that it waits, and is sent once when the network is back.', () =>
    play(async inbox => {
      const { id } = await talk('Anna', 'Hello');
      await inbox.open('Anna');
      await inbox.reads('Hello');
      await stage.service.network.refuse();
      await inbox.reply.fill('On its way');
      await inbox.reply.press('Enter');
      await inbox.page.getByText('Waits for the connection').waitFor();
      await stage.service.network.heal();
      await eventually(async () => (await textsOf(id)).includes('On its way') || undefined, PATIENCE_MS);
      await inbox.page.getByText('Waits for the connection').waitFor({ state: 'hidden' });
      expect(await textsOf(id)).toEqual(['Hello', 'On its way']);
    }));

  it('An agent searches, and a hit opens its message.', () =>
    play(async inbox => {
      await talk('Anna', 'The zebra is missing');
      await talk('Ben', 'Something else');
      const field = inbox.page.getByRole('searchbox', { name: 'Search' });
      await eventually(async () => {
        // the service limits the rate of searches
        await delay(1_000);
        return (await stage.server.search({ query: 'zebra' })).items.length > 0 || undefined;
      }, PATIENCE_MS);
      await inbox.page.keyboard.press('/');
      await field.fill('zebra');
      await inbox.page.getByRole('button', { name: /Anna/ }).click();
      await inbox.page.getByRole('region', { name: 'Conversation with Anna' }).waitFor();
      await inbox.page.locator('.message.linked', { hasText: 'The zebra is missing' }).waitFor();
    }));

  it('A link to a message that is gone shows the conversation, and asks the service no more than once for older ones.', () =>
    play(async inbox => {
      const { id } = await talk('Anna', 'Hello');
      const requests: string[] = [];
      inbox.page.on('request', request => requests.push(request.url()));
      await inbox.page.goto(
        `${stage.service.url}/dashboard/inbox/all/${id}?message=00000000-0000-7000-8000-000000000000`,
      );
      await inbox.reads('Hello');
      await delay(1_000);
      expect(requests.filter(url => url.includes('before_seq')).length).toBeLessThanOrEqual(1);
    }));

  it('Each state of the inbox is accessible in light and dark.', () =>
    play(async inbox => {
      await inbox.tab.isAccessible('the empty inbox');
      const { id } = await talk('Anna', 'Hello');
      await stage.server.conversations.update(id, { priority: 'urgent', tags: ['parcel', 'late', 'again'] });
      await inbox.open('Anna');
      await inbox.reply.fill('Good morning');
      await inbox.reply.press('Enter');
      await inbox.reads('Good morning');
      await inbox.tab.isAccessible('an open conversation');
      await inbox.page.getByRole('radio', { name: 'Note' }).check();
      await inbox.tab.isAccessible('a note');
      await inbox.page.getByRole('button', { name: 'Message actions' }).first().click();
      await inbox.tab.isAccessible('the menu of a message');
      await inbox.page.keyboard.press('Escape');
      await inbox.page.getByRole('button', { name: 'Keys' }).click();
      await inbox.tab.isAccessible('the list of keys');
    }));

  it('No action of a conversation is hidden behind another, also in German and at every width of a screen.', async () => {
    const { id } = await talk('Anna', 'Hallo');
    const test = async (people: People) => {
      const tab = await AgentTab.open(people, `${stage.service.url}/dashboard/inbox/all/${id}`);
      await tab.signInInGerman(stage.desk.email);
      await tab.page.getByRole('button', { name: 'Übernehmen' }).waitFor();
      for (const width of [1_440, 1_300, 1_100, 920]) {
        await tab.page.setViewportSize({ width, height: 900 });
        const covered = await tab.page.locator('.thread > header button:visible').evaluateAll(buttons =>
          buttons
            .filter(button => {
              const { left, right, top, bottom } = button.getBoundingClientRect();
              const middle = (top + bottom) / 2;
              return ![left + 6, right - 6].every(x => button.contains(document.elementFromPoint(x, middle)));
            })
            .map(({ textContent }) => textContent),
        );
        expect([width, covered]).toEqual([width, []]);
      }
      expect(tab.errors).toEqual([]);
    };
    await stage.browser.run(test, { locale: 'de-DE' });
  });

  it('A phone shows the list or the conversation, and the way back.', () =>
    play(
      async inbox => {
        await talk('Anna', 'Hello');
        await inbox.open('Anna');
        expect(await inbox.row('Anna').isVisible()).toBe(false);
        await inbox.reply.fill('Hi');
        await inbox.page.getByRole('button', { name: 'Send' }).click();
        await inbox.reads('Hi');
        await inbox.page.getByRole('button', { name: 'Back to the list' }).click();
        await inbox.row('Anna').waitFor();
      },
      { viewport: { width: 390, height: 780 }, hasTouch: true },
    ));
});

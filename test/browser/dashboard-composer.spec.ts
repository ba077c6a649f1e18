import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { MessageView } from '../../clients/sdk/src/index.js';
import { describeInChromium } from '../support/describe-in-chromium.js';
import { eventually } from '../support/eventually.js';
import { AgentInbox } from './support/agent-inbox.js';
import { AgentTab } from './support/agent-tab.js';
import { PATIENCE_MS } from './support/company.js';
import { DeskStage } from './support/desk-stage.js';
import { dropOn } from './support/drop.js';
import type { People } from './support/test-browser.js';

const FILE = { name: 'manual.txt', type: 'text/plain', content: 'Turn it on.' };
/** A block of 40 messages on the screen, and those around it. */
const MAX_DRAWN = 200;

const stage = new DeskStage({ RATE_LIMITS: 'off' });

/** Starts a conversation. @returns its id */
async function talk(name: string, text: string): Promise<string> {
  return (await (await stage.visit(name)).startConversation(text)).conversation.id;
}

/** Runs a test with the owner at the open conversations. No tab may have an error in its console afterwards. */
function play(test: (agent: AgentInbox) => Promise<void>) {
  return stage.browser.run(people => playWith(people, test));
}

async function playWith(people: People, test: (agent: AgentInbox) => Promise<void>): Promise<void> {
  const tab = await AgentTab.open(people, `${stage.service.url}/dashboard/inbox/unassigned`);
  await tab.signIn(stage.desk.email);
  await tab.isSignedIn('Olivia Owner');
  await test(new AgentInbox(tab));
  expect(tab.errors).toEqual([]);
}

/** Waits for a message in the service. */
function arrives(id: string, test: (message: MessageView) => boolean): Promise<MessageView> {
  return eventually(async () => (await stage.server.conversations.messages(id)).items.find(test), PATIENCE_MS);
}

describeInChromium('The composer and the timeline of the dashboard', () => {
  stage.register();

  it('A file of a note is not in the reply, waits while another conversation is open, and is sent without a text.', () =>
    play(async agent => {
      const id = await talk('Anna', 'Hello');
      await talk('Ben', 'Hi');
      await agent.open('Anna');
      await agent.choose('Note');
      expect(await dropOn(agent.note, FILE)).toBe(false);
      const remove = agent.page.getByRole('button', { name: 'Remove manual.txt' });
      await remove.waitFor();
      await agent.choose('Reply');
      await remove.waitFor({ state: 'detached' });
      await agent.open('Ben');
      await agent.open('Anna');
      await agent.choose('Note');
      await remove.waitFor();
      await agent.page.getByRole('progressbar').waitFor({ state: 'detached' });
      await agent.page.getByRole('button', { name: 'Add note' }).click();
      const sent = await arrives(id, ({ attachments }) => attachments.length > 0);
      expect(sent).toMatchObject({ private: true, content: null, attachments: [{ name: 'manual.txt' }] });
      await remove.waitFor({ state: 'detached' });
    }));

  it('A text over the limit is kept whole, says by how much, and is sent once it is shorter.', () =>
    play(async agent => {
      const id = await talk('Anna', 'Hello');
      await agent.open('Anna');
      const long = 'a'.repeat(20_001);
      await agent.reply.fill(long);
      await agent.page.getByText('1 character too many').waitFor();
      await agent.reply.press('Enter');
      expect(await agent.reply.inputValue()).toBe(long);
      await agent.reply.press('Backspace');
      await agent.page.getByText('0 characters left').waitFor();
      await agent.reply.press('Enter');
      expect((await arrives(id, ({ sender_type }) => sender_type === 'agent')).content).toHaveLength(20_000);
    }));

  it('A reply that also resolves shows the next conversation, and the conversation stays resolved.', () =>
    play(async agent => {
      await talk('Anna', 'First');
      const id = await talk('Ben', 'Second');
      await agent.open('Ben');
      await agent.reply.fill('Done');
      await agent.reply.press('Control+Shift+Enter');
      await agent.page.getByRole('region', { name: 'Conversation with Anna' }).waitFor();
      const view = await eventually(async () => {
        const read = await stage.server.conversations.get(id);
        return read.status === 'resolved' ? read : undefined;
      }, PATIENCE_MS);
      expect(view.last_message).toMatchObject({ preview: 'Done' });
    }));

  it('A member for whom Enter begins a line sends with Ctrl+Enter, also after a reload.', () =>
    play(async agent => {
      const id = await talk('Anna', 'Hello');
      await agent.open('Anna');
      await agent.page.getByRole('button', { name: 'More options' }).click();
      await agent.page.getByRole('option', { name: 'Enter sends' }).click();
      await agent.page.reload();
      await agent.tab.isSignedIn('Olivia Owner');
      await agent.reply.pressSequentially('one');
      await agent.reply.press('Enter');
      await agent.reply.pressSequentially('two');
      await agent.reply.press('Control+Enter');
      await arrives(id, ({ content }) => content === 'one\ntwo');
    }));

  it('Saved answers show their text before they are chosen, and a variable without a value is selected.', () =>
    play(async agent => {
      await stage.server.cannedResponses.create({
        short_code: 'order',
        title: 'Order',
        content: 'Your order {{order.number}} is on its way.',
      });
      await talk('Anna', 'Hello');
      await agent.open('Anna');
      await agent.reply.pressSequentially('/ord');
      await agent.page.getByRole('option', { name: /Order/ }).waitFor();
      await agent.page.locator('.suggestions .preview', { hasText: 'is on its way.' }).waitFor();
      await agent.reply.press('Enter');
      await agent.page.getByText('Fill in yourself: order.number.').waitFor();
      await eventually(
        async () => (await agent.page.evaluate(() => getSelection()?.toString())) === '{{order.number}}' || undefined,
        PATIENCE_MS,
      );
      await agent.page.keyboard.type('4711');
      expect(await agent.reply.inputValue()).toBe('Your order 4711 is on its way.');
      await agent.page.getByText('Fill in yourself').waitFor({ state: 'detached' });
    }));

  it('Emoji are chosen by their code and from the grid.', () =>
    play(async agent => {
      await talk('Anna', 'Hello');
      await agent.open('Anna');
      await agent.reply.pressSequentially('Great :tad');
      await agent.page.getByRole('option', { name: '🎉' }).waitFor();
      await agent.reply.press('Tab');
      expect(await agent.reply.inputValue()).toBe('Great 🎉');
      await agent.page.getByRole('button', { name: 'Emoji' }).click();
      await agent.tab.isAccessible('the grid of emoji');
      await agent.page.getByRole('group', { name: 'Emoji' }).getByText('👍').click();
      await agent.page.keyboard.press('Escape');
      expect(await agent.reply.inputValue()).toBe('Great 🎉👍');
    }));

  it('Escape in the grid of emoji returns to its button, and a click into the field stays there.', () =>
    play(async agent => {
      await talk('Anna', 'Hello');
      await agent.open('Anna');
      const button = agent.page.getByRole('button', { name: 'Emoji' });
      const grid = agent.page.getByRole('group', { name: 'Emoji' });
      await button.click();
      await agent.page.keyboard.press('Escape');
      await grid.waitFor({ state: 'detached' });
      expect(await button.evaluate(element => element === document.activeElement)).toBe(true);
      await button.click();
      // beside the grid
      const { width } = (await agent.reply.boundingBox())!;
      await agent.reply.click({ position: { x: width - 30, y: 10 } });
      await grid.waitFor({ state: 'detached' });
      await agent.page.keyboard.type('Great');
      expect(await agent.reply.inputValue()).toBe('Great');
    }));

  it('The arrow up edits the last own message, and what was typed stays while another conversation is open.', () =>
    play(async agent => {
      const id = await talk('Anna', 'Hello');
      await talk('Ben', 'Hi');
      await agent.open('Anna');
      await agent.reply.fill('Helo');
      await agent.reply.press('Enter');
      await arrives(id, ({ content }) => content === 'Helo');
      await agent.page.getByText('sending').waitFor({ state: 'detached' });
      await agent.reply.press('ArrowUp');
      const edit = agent.page.getByRole('textbox', { name: 'Text of the message' });
      await edit.fill('Hello Anna');
      await agent.open('Ben');
      await edit.waitFor({ state: 'detached' });
      await agent.open('Anna');
      expect(await edit.inputValue()).toBe('Hello Anna');
      await edit.press('Control+Enter');
      await arrives(id, ({ content }) => content === 'Hello Anna');
      await agent.reads('Hello Anna');
    }));

  it('A message is unsent after a question, and a refused question leaves it.', () =>
    play(async agent => {
      const id = await talk('Anna', 'Hello');
      await agent.open('Anna');
      await agent.reply.fill('Wrong window');
      await agent.reply.press('Enter');
      await arrives(id, ({ content }) => content === 'Wrong window');
      const ask = async () => {
        await agent.timeline.getByText('Wrong window').hover();
        await agent.page.getByRole('button', { name: 'Message actions' }).last().click();
        await agent.page.getByRole('option', { name: 'Unsend' }).click();
        return agent.page.getByRole('dialog', { name: 'Unsend this message?' });
      };
      await (await ask()).getByRole('button', { name: 'Cancel' }).click();
      await agent.reads('Wrong window');
      await (await ask()).getByRole('button', { name: 'Unsend' }).click();
      await agent.reads('This message was unsent.');
      await arrives(id, ({ deleted_at }) => deleted_at !== null);
    }));

  it('A long conversation draws a part of it, and older messages that arrive move nothing on the screen.', () =>
    stage.browser.run(async people => {
      // written before the tab opens, which would receive them
      const id = await talk('Anna', 'The first of all');
      const texts = Array.from({ length: 400 }, (_, index) => `Line ${index + 1}${' and more'.repeat(index % 30)}`);
      for (const content of texts) {
        await stage.server.conversations.send(id, { content, member_id: stage.desk.memberId, private: true });
      }
      await playWith(people, async agent => {
        await agent.open('Anna');
        await agent.reads(texts.at(-1)!);
        const viewport = agent.page.locator('.timeline');
        const drawn = () => agent.page.locator('.timeline .message').count();
        let most = 0;
        let moved = 0;
        while (!(await agent.timeline.getByText('The first of all').isVisible())) {
          await viewport.evaluate(element => element.scrollBy(0, -500));
          const before = await topLine(agent.page);
          await agent.page.waitForTimeout(200);
          most = Math.max(most, await drawn());
          moved = Math.max(moved, Math.abs((await topOf(agent.page, before.id)) - before.top));
        }
        expect(most).toBeLessThan(MAX_DRAWN);
        expect(moved).toBeLessThan(2);
        await agent.page.getByRole('button', { name: 'Newest message' }).click();
        await agent.reads(texts.at(-1)!);
        expect(await drawn()).toBeLessThan(MAX_DRAWN);
      });
    }));

  it('A message that arrives while an agent reads older ones moves nothing, and is counted on the button.', () =>
    play(async agent => {
      const visitor = await stage.visit('Anna');
      const { id } = (await visitor.startConversation('Hello')).conversation;
      for (let line = 1; line <= 40; line += 1) {
        await stage.server.conversations.send(id, { content: `Line ${line}`, member_id: stage.desk.memberId });
      }
      await agent.open('Anna');
      await agent.reads('Line 40');
      await agent.page.locator('.timeline').evaluate(element => element.scrollTo(0, 300));
      await agent.page.getByRole('button', { name: 'Newest message' }).waitFor();
      const before = await topLine(agent.page);
      await visitor.send(id, 'News');
      const button = agent.page.getByRole('button', { name: '1 new message' });
      await button.waitFor();
      expect(Math.abs((await topOf(agent.page, before.id)) - before.top)).toBeLessThan(2);
      await button.click();
      await agent.reads('News');
      await button.waitFor({ state: 'detached' });
    }));
});

/** The first message on the screen, and its distance from the top of the timeline in pixels. */
function topLine(page: Page): Promise<{ id: string; top: number }> {
  return page.evaluate(() => {
    const edge = document.querySelector('.timeline')!.getBoundingClientRect().top;
    const lines = [...document.querySelectorAll('.timeline .message[id]')];
    const line = lines.find(each => each.getBoundingClientRect().bottom > edge)!;
    return { id: line.id, top: line.getBoundingClientRect().top - edge };
  });
}

function topOf(page: Page, id: string): Promise<number> {
  return page.evaluate(lineId => {
    const edge = document.querySelector('.timeline')!.getBoundingClientRect().top;
    return document.getElementById(lineId)!.getBoundingClientRect().top - edge;
  }, id);
}

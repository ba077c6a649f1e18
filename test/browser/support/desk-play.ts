import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/json.js';
import { waitUpTo } from '../../support/seeded.js';
import type { AgentInbox } from './agent-inbox.js';
import type { BalancedService } from './balanced-service.js';
import { untilEmpty, writeOrStartAgain } from './chat-play.js';
import { PATIENCE_MS, type Company } from './company.js';
import { RandomPlay, type Step } from './random-play.js';
import type { Visitor } from './visitor.js';

/** Time (ms) for something that need not happen, such as a button that another agent's action has removed. */
const SHORT_MS = 3_000;
const UNSENT = 'This message was unsent.';

export interface PlayedAgent {
  name: string;
  inbox: AgentInbox;
  setOffline(isOffline: boolean): Promise<void>;
}

export interface PlayedVisitor {
  name: string;
  visitor: Visitor;
}

export interface DeskPlayOptions {
  /** Agents reach it through a network that breaks; visitors do not. */
  service: BalancedService;
  company: Company;
  agents: readonly PlayedAgent[];
  visitors: readonly PlayedVisitor[];
  random: () => number;
}

interface Written {
  /** Null once it was unsent. */
  text: string | null;
  isNote: boolean;
}

/** Agents at the dashboard on a bad network, and visitors, who do random things; and what must have come of it. */
export class DeskPlay extends RandomPlay {
  /** By name of the visitor. */
  private readonly asked = new Map<string, string[]>();
  /** Everything that agents have written, by name of the visitor. */
  private readonly written = new Map<string, Written[]>();
  /** Texts that stand in the field for replies, by agent and visitor. */
  private readonly drafts = new Map<string, string>();
  private readonly open = new Map<PlayedAgent, string>();
  private count = 0;

  constructor(private readonly options: DeskPlayOptions) {
    super(options.service, options.random);
    for (const { name } of options.visitors) {
      this.asked.set(name, []);
      this.written.set(name, []);
    }
  }

  protected override readonly steps: readonly Step[] = [
    [20, 'ask', () => this.ask()],
    [20, 'reply', () => this.reply()],
    [7, 'note', () => this.writeNote()],
    [6, 'type', () => this.type()],
    [7, 'edit', () => this.edit()],
    [5, 'unsend', () => this.unsend()],
    [6, 'take', () => this.press('t')],
    [6, 'resolve', () => this.press('e')],
    [4, 'reopen', () => this.press('Shift+E')],
    [3, 'undo', () => this.press('z')],
    [5, 'set a priority', () => this.setPriority()],
    [4, 'change a view', () => this.changeView()],
    [5, 'reload', () => this.reload()],
    [8, 'break the network', () => this.breakNetwork()],
    [12, 'heal the network', () => this.heal()],
    [1, 'restart an instance', () => this.restart()],
    [5, 'wait', () => waitUpTo(this.random, 800)],
  ];

  /** Each visitor asks once, so that there is a conversation with each. */
  async begin(): Promise<void> {
    for (const { name } of this.options.visitors) await this.ask(name);
    for (const agent of this.options.agents) {
      for (const { name } of this.options.visitors) await agent.inbox.row(name).waitFor();
    }
  }

  /** Repairs everything, and compares what each screen shows with the service, and the service with the model. */
  async settle(): Promise<void> {
    this.log.push('settle');
    await this.starting;
    await this.heal();
    const conversations = await this.conversations();
    for (const agent of this.options.agents) await this.sendRefused(agent);
    for (const [name, { id }] of conversations) await this.checkModel(name, await this.messages(id));
    for (const agent of this.options.agents) await this.checkScreen(agent);
    for (const { name, visitor } of this.options.visitors) {
      const messages = await this.messages(conversations.get(name)!['id']);
      const shown = messages.filter(message => !message['private']);
      const expected = shown.map(({ content }) => content ?? 'This message was removed');
      await this.agrees(`the screen of ${name}`, () => visitor.allBubbles(), expected);
    }
  }

  /** Messages of people in a conversation. */
  private async messages(id: string): Promise<Json[]> {
    const { items } = await this.options.company.call('GET', `/v1/conversations/${id}/messages?limit=200`);
    return (items as Json[]).filter(({ content_type }) => content_type !== 'event');
  }

  private async conversations(): Promise<Map<string, Json>> {
    const all = await this.options.company.conversations();
    return new Map(all.map(each => [each['contact'].name as string, each]));
  }

  private async checkModel(name: string, messages: readonly Json[]): Promise<void> {
    const contents = (type: string) => messages.filter(({ sender_type }) => sender_type === type);
    expect([name, contents('contact').map(({ content }) => content)]).toEqual([name, this.asked.get(name)]);
    const stored = contents('agent').map(({ content, private: isNote }) => `${isNote} ${content}`);
    const expected = this.written.get(name)!.map(({ text, isNote }) => `${isNote} ${text}`);
    expect([name, stored.sort()]).toEqual([name, expected.sort()]);
  }

  /** A reply that waits because a colleague was faster is sent by a button. */
  private async sendRefused(agent: PlayedAgent): Promise<void> {
    const { inbox } = agent;
    for (const { name } of this.options.visitors) {
      await this.openConversation(agent, name);
      const again = inbox.button('Send anyway');
      await eventually(
        async () => {
          if (await again.first().isVisible())
            await again
              .first()
              .click({ timeout: SHORT_MS })
              .catch(() => undefined);
          return (await inbox.timeline.locator('.pending').count()) === 0 || undefined;
        },
        PATIENCE_MS,
        async () => [agent.name, name, await inbox.timeline.locator('.pending').allInnerTexts()],
      );
    }
    await untilEmpty(inbox);
  }

  private async checkScreen(agent: PlayedAgent): Promise<void> {
    const { inbox } = agent;
    for (const { name } of this.options.visitors) {
      await this.openConversation(agent, name);
      const { id } = (await this.conversations()).get(name)!;
      const expected = (await this.messages(id)).map(({ content }) => content ?? UNSENT);
      await this.agrees(`${name} at ${agent.name}`, () => inbox.allTexts(), expected);
      // what is on the screen for a moment is read
      const unread = async () => (await this.conversations()).get(name)!['unread'].agents as number;
      await this.agrees(`unread of ${name}`, unread, 0);
      await inbox.choose('Reply');
      const draft = this.drafts.get(`${agent.name} ${name}`) ?? '';
      expect([agent.name, name, await inbox.reply.inputValue()]).toEqual([agent.name, name, draft]);
    }
    await this.agrees(`the list of ${agent.name}`, () => rowsOf(inbox), await this.expectedRows(agent));
  }

  private async expectedRows(agent: PlayedAgent): Promise<string[]> {
    return [...(await this.conversations()).values()].map(each => {
      const { contact, status, priority, last_message: last } = each;
      const text = last.sender_type === 'contact' ? last.preview : `Team: ${last.preview}`;
      const preview = this.drafts.has(`${agent.name} ${contact.name}`) ? 'Draft' : text;
      return [contact.name, preview, status === 'open' ? '' : status, priority === 'none' ? '' : priority].join(' | ');
    });
  }

  private nextText(name: string): string {
    this.count += 1;
    return `${name} ${String(this.count).padStart(3, '0')}`;
  }

  private async ask(name = this.pick(this.options.visitors)!.name): Promise<void> {
    const { visitor } = this.options.visitors.find(each => each.name === name)!;
    const text = this.nextText('question');
    this.asked.get(name)!.push(text);
    await writeOrStartAgain(visitor, text);
    await visitor.reads(text);
    await untilEmpty(visitor);
  }

  /** Opens the conversation of a visitor in the list of all. */
  private async openConversation(agent: PlayedAgent, name: string): Promise<void> {
    const { inbox } = agent;
    await inbox.page.keyboard.press('Escape');
    if (this.open.get(agent) === name) return;
    await inbox.openView('All');
    await inbox.open(name);
    const message = inbox.timeline.locator('.message').first();
    // after a gap, the messages of conversations that are not on the screen are read again
    await message.waitFor({ timeout: this.network === 'up' ? PATIENCE_MS : SHORT_MS }).catch(async (error: Error) => {
      if (this.network === 'up') throw error;
      this.log.push('heal');
      await this.heal();
      await message.waitFor();
    });
    this.open.set(agent, name);
  }

  /** @returns an agent with an open conversation, and its visitor */
  private async opened(): Promise<{ agent: PlayedAgent; inbox: AgentInbox; name: string }> {
    const agent = this.pick(this.options.agents)!;
    const { name } = this.pick(this.options.visitors)!;
    this.log.push(`${agent.name} with ${name}`);
    await this.openConversation(agent, name);
    return { agent, inbox: agent.inbox, name };
  }

  private async reply(): Promise<void> {
    const { agent, inbox, name } = await this.opened();
    const text = this.nextText('answer');
    this.log.push(text);
    await inbox.choose('Reply');
    await inbox.reply.fill(text);
    await inbox.reply.press('Enter');
    this.drafts.delete(`${agent.name} ${name}`);
    this.written.get(name)!.push({ text, isNote: false });
    await inbox.reads(text);
  }

  private async writeNote(): Promise<void> {
    const { inbox, name } = await this.opened();
    const text = this.nextText('note');
    this.log.push(text);
    await inbox.choose('Note');
    await inbox.note.fill(text);
    await inbox.note.press('Enter');
    this.written.get(name)!.push({ text, isNote: true });
    await inbox.reads(text);
  }

  /** Types a text that is not sent. */
  private async type(): Promise<void> {
    const { agent, inbox, name } = await this.opened();
    const text = this.nextText('draft');
    await inbox.choose('Reply');
    await inbox.reply.fill(text);
    this.drafts.set(`${agent.name} ${name}`, text);
  }

  /** @returns the agent's last message in the conversation that the service has, with its menu open */
  private async ownMessage(): Promise<{ inbox: AgentInbox; written: Written } | undefined> {
    if (this.network !== 'up') return undefined;
    const { agent, inbox, name } = await this.opened();
    const { id } = (await this.conversations()).get(name)!;
    const own = (await this.messages(id)).filter(
      ({ sender_name, content, created_at }) =>
        sender_name === agent.name && content !== null && Date.parse(created_at) > Date.now() - 600_000,
    );
    const text = own.at(-1)?.['content'] as string | undefined;
    const written = this.written.get(name)!.find(each => each.text === text);
    if (text === undefined || !written) return undefined;
    const message = inbox.timeline.locator('.message:not(.pending)', { hasText: text });
    await message.scrollIntoViewIfNeeded();
    await message.hover();
    await message.getByRole('button', { name: 'Message actions' }).click();
    return { inbox, written };
  }

  private async edit(): Promise<void> {
    const found = await this.ownMessage();
    if (!found) return;
    const { inbox, written } = found;
    await inbox.page.getByRole('option', { name: 'Edit' }).click();
    const field = inbox.page.getByRole('textbox', { name: 'Text of the message' });
    written.text = `${written.text}+`;
    await field.fill(written.text);
    await field.press('Control+Enter');
    await field.waitFor({ state: 'detached' });
    await inbox.reads(written.text);
  }

  private async unsend(): Promise<void> {
    const found = await this.ownMessage();
    if (!found) return;
    const { inbox, written } = found;
    await inbox.page.getByRole('option', { name: 'Unsend' }).click();
    const dialog = inbox.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Unsend' }).click();
    await dialog.waitFor({ state: 'detached' });
    written.text = null;
  }

  /** Presses a key that may do nothing, because the state of the conversation does not allow it. */
  private async press(key: string): Promise<void> {
    const { agent, inbox } = await this.opened();
    await inbox.page.keyboard.press(key);
    // a resolve shows the next conversation
    this.open.delete(agent);
  }

  private async setPriority(): Promise<void> {
    const { inbox } = await this.opened();
    await inbox.page.keyboard.press('p');
    await inbox.page.getByRole('combobox', { name: 'Priority' }).waitFor();
    await inbox.page.keyboard.type(this.pick(['no', 'low', 'high', 'urg'])!);
    await inbox.page.keyboard.press('Enter');
  }

  private async changeView(): Promise<void> {
    const agent = this.pick(this.options.agents)!;
    await agent.inbox.page.keyboard.press('Escape');
    await agent.inbox.openView(this.pick(['Assigned to you', 'Unassigned', 'Open', 'Resolved', 'Waiting longest'])!);
    this.open.delete(agent);
  }

  private async reload(): Promise<void> {
    if (this.network !== 'up') return;
    const agent = this.pick(this.options.agents)!;
    await agent.inbox.page.reload();
    await agent.inbox.tab.isSignedIn(agent.name);
    this.open.delete(agent);
  }

  protected override setOffline(isOffline: boolean): Promise<unknown> {
    return Promise.all(this.options.agents.map(agent => agent.setOffline(isOffline)));
  }
}

/** Name, preview, state and priority of each row in the list. */
function rowsOf({ page }: AgentInbox): Promise<string[]> {
  return page.locator('.row').evaluateAll(rows =>
    rows.map(row => {
      const text = (selector: string) => row.querySelector(selector)?.textContent ?? '';
      const state = (kind: string) => row.querySelector(`.fact.${kind}`)?.className.split(' ').at(-1) ?? '';
      return [text('.name'), text('.preview'), state('status'), state('priority')].join(' | ');
    }),
  );
}

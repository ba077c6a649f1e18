import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/json.js';
import { waitUpTo } from '../../support/seeded.js';
import type { BalancedService } from './balanced-service.js';
import { PATIENCE_MS, type Company } from './company.js';
import type { LiveAgent } from './live-agent.js';
import { RandomPlay, type Step } from './random-play.js';
import { storedOutbox } from './stored-outbox.js';
import type { Visitor } from './visitor.js';

/** Time (ms) for something that need not happen, such as a widget whose script cannot be loaded. */
const SHORT_MS = 4_000;
const MAX_TABS = 3;

interface PlayTab {
  visitor: Visitor;
  /** False after a reload without a network. */
  isLoaded: boolean;
  isVisible: boolean;
}

interface Answer {
  id: string;
  content: string | null;
}

export interface PlayOptions {
  service: BalancedService;
  company: Company;
  agent: LiveAgent;
  random: () => number;
  /** Opens the company's page in another tab of the visitor's browser. */
  openTab(): Promise<Visitor>;
  setOffline(isOffline: boolean): Promise<void>;
}

/** A visitor with some tabs on a bad network, and an agent, who do random things; and what must have come of it. */
export class ChatPlay extends RandomPlay {
  private readonly tabs: PlayTab[] = [];
  /** The visitor's messages, in the order in which they were written. */
  private readonly written: string[] = [];
  /** The agent's messages that the service has accepted. */
  private readonly answers: Answer[] = [];
  private conversationId: string | undefined;

  constructor(private readonly options: PlayOptions) {
    super(options.service, options.random);
  }

  protected override readonly steps: readonly Step[] = [
    [22, 'write', () => this.write()],
    [16, 'answer', () => this.answer()],
    [7, 'edit', () => this.edit()],
    [5, 'unsend', () => this.unsend()],
    [4, 'resolve', () => this.resolve()],
    [3, 'end the chat', () => this.endChat()],
    [9, 'reload', () => this.reload()],
    [12, 'break the network', () => this.breakNetwork()],
    [14, 'heal the network', () => this.heal()],
    [8, 'open or close the panel', () => this.togglePanel()],
    [7, 'hide or show a tab', () => this.toggleVisibility()],
    [6, 'open a tab', () => this.openTab()],
    [5, 'close a tab', () => this.closeTab()],
    [1, 'restart an instance', () => this.restart()],
    [6, 'wait', () => waitUpTo(this.random, 1_000)],
  ];

  async settle(): Promise<void> {
    this.log.push('settle');
    await this.starting;
    await this.heal();
    if (this.tabs.length === 0) await this.openTab();
    for (const tab of this.tabs) {
      await this.setVisible(tab, true);
      await this.openPanel(tab);
    }
    if (this.written.length === 0) await this.write();
    await this.findConversation(true);
    for (const { visitor } of this.tabs) await untilEmpty(visitor);
    const messages = await this.storedMessages();
    const byVisitor = messages.filter(({ sender_type }) => sender_type === 'contact');
    const byAgent = messages.filter(({ sender_type }) => sender_type === 'agent');
    expect(byVisitor.map(({ content }) => content)).toEqual(this.written);
    expect(byAgent.map(({ id, content }) => ({ id, content }))).toEqual(this.answers);
    const ids = messages.map(({ id }) => id as string);
    await this.agrees('the agent', () => this.receivedByAgent(), ids);
    const shown = messages.map(({ content }) => content ?? 'This message was removed');
    for (const [index, { visitor }] of this.tabs.entries()) {
      await this.showConversation(visitor);
      await this.agrees(`tab ${index}`, () => visitor.allBubbles(), shown);
    }
    await this.checkUnread(0);
  }

  /** Counts unread messages while no panel is open. */
  async settleUnread(): Promise<void> {
    for (const tab of this.tabs) await this.closePanel(tab);
    const first = await this.answer();
    await this.answer();
    await this.checkUnread(2);
    const { company } = this.options;
    await company.call('DELETE', `${await this.path()}/messages/${first!.id}`);
    first!.content = null;
    await this.checkUnread(1);
    await this.reload();
    await this.checkUnread(1);
    await this.openPanel(this.tabs[0]!);
    await this.showConversation(this.tabs[0]!.visitor);
    await this.checkUnread(0);
  }

  /** The count of the service, and of every tab. */
  private async checkUnread(expected: number): Promise<void> {
    const stored = async () => (await this.options.company.call('GET', await this.path()))['unread'].contact as number;
    await this.agrees('unread on the service', stored, expected);
    for (const [index, { visitor }] of this.tabs.entries()) {
      const shown = () =>
        visitor.page.evaluate(() => (window.SupportChat as { state: { unread: number } }).state.unread);
      await this.agrees(`unread in tab ${index}`, shown, expected);
    }
  }

  private receivedByAgent(): string[] {
    return this.options.agent.frames.flatMap(frame => {
      if (frame.type !== 'message.created') return [];
      const { id, conversation_id, content_type } = frame.data.message;
      return conversation_id === this.conversationId && content_type !== 'event' ? [id] : [];
    });
  }

  private async storedMessages(): Promise<Json[]> {
    const messages: Json[] = [];
    for (let after = 0, page: Json[] = []; messages.length === 0 || page.length > 0; after = messages.at(-1)!['seq']) {
      const path = `${await this.path()}/messages?limit=200&after_seq=${after}`;
      page = (await this.options.company.call('GET', path)).items as Json[];
      messages.push(...page);
    }
    return messages.filter(({ content_type, private: isNote }) => content_type !== 'event' && !isNote);
  }

  private async path(): Promise<string> {
    return `/v1/conversations/${await this.findConversation(true)}`;
  }

  private async findConversation(waits = false): Promise<string | undefined> {
    const { company } = this.options;
    const [found] = this.conversationId ? [] : waits ? [await company.conversation()] : await company.conversations();
    return (this.conversationId ??= found?.['id'] as string | undefined);
  }

  /** @returns a tab in which the widget works, with its panel open */
  private async usableTab(): Promise<PlayTab | undefined> {
    const tab = this.pick(this.tabs.filter(({ isLoaded }) => isLoaded)) ?? (await this.openTab());
    if (tab) await this.openPanel(tab);
    return tab;
  }

  private async write(): Promise<void> {
    const tab = await this.usableTab();
    if (!tab) return;
    const text = `visitor ${String(this.written.length).padStart(3, '0')}`;
    this.log.push(`${text} in tab ${this.tabs.indexOf(tab)}`);
    this.written.push(text);
    const { visitor } = tab;
    await writeOrStartAgain(visitor, text);
    await visitor.reads(text);
  }

  private async answer(): Promise<Answer | undefined> {
    if (!(await this.findConversation())) return undefined;
    const content = `agent ${String(this.answers.length).padStart(3, '0')}`;
    const { id } = await this.options.company.call('POST', `${await this.path()}/messages`, { content });
    const answer = { id: id as string, content };
    this.answers.push(answer);
    return answer;
  }

  private async edit(): Promise<void> {
    const answer = this.pick(this.answers.filter(({ content }) => content !== null));
    if (!answer) return;
    answer.content += '+';
    const { company } = this.options;
    await company.call('PATCH', `${await this.path()}/messages/${answer.id}`, { content: answer.content });
  }

  private async unsend(): Promise<void> {
    const answer = this.pick(this.answers.filter(({ content }) => content !== null));
    if (!answer) return;
    answer.content = null;
    await this.options.company.call('DELETE', `${await this.path()}/messages/${answer.id}`);
  }

  private async resolve(): Promise<void> {
    const { company } = this.options;
    if (!(await this.findConversation())) return;
    const path = await this.path();
    if ((await company.call('GET', path))['status'] === 'resolved') return;
    // The visitor may end it at the same time.
    await company.call('POST', `${path}/resolve`).catch((error: Error) => expect(error.message).toContain('422'));
  }

  private async endChat(): Promise<void> {
    if (this.network !== 'up' || !(await this.findConversation())) return;
    const tab = await this.usableTab();
    const menu = tab?.visitor.button('More');
    if (!tab || !menu || !(await menu.isVisible())) return;
    await menu.click();
    const end = tab.visitor.button('End chat');
    if (await end.isVisible()) await end.click({ timeout: SHORT_MS }).catch(() => undefined);
    else await menu.click();
  }

  private async reload(): Promise<void> {
    const tab = this.pick(this.tabs);
    if (!tab) return;
    // The page itself is on another network, which `setOffline` breaks too.
    if (this.network === 'offline') return;
    await tab.visitor.page.reload();
    tab.isVisible = true;
    await this.untilLoaded(tab);
  }

  private async untilLoaded(tab: PlayTab): Promise<void> {
    const timeout = this.network === 'up' ? PATIENCE_MS : SHORT_MS;
    const arrived = tab.visitor.launcher.waitFor({ timeout }).then(() => true);
    tab.isLoaded = this.network === 'up' ? await arrived : await arrived.catch(() => false);
  }

  protected override setOffline(isOffline: boolean): Promise<void> {
    return this.options.setOffline(isOffline);
  }

  protected override async heal(): Promise<void> {
    await super.heal();
    for (const tab of this.tabs.filter(({ isLoaded }) => !isLoaded)) {
      await tab.visitor.page.reload();
      tab.isVisible = true;
      await this.untilLoaded(tab);
    }
  }

  private async togglePanel(): Promise<void> {
    const tab = this.pick(this.tabs.filter(({ isLoaded }) => isLoaded));
    if (!tab) return;
    if (await isOpen(tab.visitor)) await this.closePanel(tab);
    else await this.openPanel(tab);
  }

  private async openPanel({ visitor }: PlayTab): Promise<void> {
    if (!(await isOpen(visitor))) await visitor.launcher.click();
    await visitor.panel.waitFor();
  }

  private async closePanel({ visitor }: PlayTab): Promise<void> {
    if (!(await isOpen(visitor))) return;
    await visitor.call('close');
    await visitor.panel.waitFor({ state: 'detached' });
  }

  private async toggleVisibility(): Promise<void> {
    const tab = this.pick(this.tabs);
    if (tab) await this.setVisible(tab, !tab.isVisible);
  }

  /** A browser without windows shows all of its tabs. */
  private async setVisible(tab: PlayTab, isVisible: boolean): Promise<void> {
    if (tab.isVisible === isVisible) return;
    tab.isVisible = isVisible;
    await tab.visitor.page.evaluate(
      state => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      },
      isVisible ? 'visible' : 'hidden',
    );
  }

  private async openTab(): Promise<PlayTab | undefined> {
    if (this.network !== 'up' || this.tabs.length === MAX_TABS) return undefined;
    const tab = { visitor: await this.options.openTab(), isLoaded: true, isVisible: true };
    this.tabs.push(tab);
    return tab;
  }

  private async closeTab(): Promise<void> {
    const tab = this.pick(this.tabs);
    if (!tab) return;
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    await tab.visitor.page.close();
  }

  private async showConversation(visitor: Visitor): Promise<void> {
    const thread = visitor.page.locator('support-chat .threads button').first();
    await visitor.log.or(thread).first().waitFor();
    if (await thread.isVisible()) await thread.click();
  }
}

function isOpen({ page }: Visitor): Promise<boolean> {
  return page.evaluate(() => (window.SupportChat as { state: { isOpen: boolean } }).state.isOpen);
}

/** Sends a message, also in a chat that has ended. It may end or go on between two looks at it. */
export async function writeOrStartAgain(visitor: Visitor, text: string): Promise<void> {
  const { field, startAgain } = visitor;
  const timeout = SHORT_MS;
  const attempt = async (): Promise<true> => {
    await field.or(startAgain).first().waitFor({ timeout });
    if (await startAgain.isVisible()) await startAgain.click({ timeout });
    await field.fill(text, { timeout });
    await field.press('Enter', { timeout });
    // a chat that ends before the key has another button in the place of the field
    await visitor.bubble(text).first().waitFor({ timeout });
    return true;
  };
  await eventually(() => attempt().catch(() => undefined), PATIENCE_MS);
}

/** Waits until the browser knows that the service has everything that was written. */
export function untilEmpty({ page }: Pick<Visitor, 'page'>): Promise<unknown> {
  return eventually(async () => (await storedOutbox(page)).length === 0 || undefined, PATIENCE_MS);
}

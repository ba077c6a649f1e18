import { expect } from '@jest/globals';
import { VisitorClient } from '../../../clients/sdk/src/index.js';
import type { Dialogue } from '../../../src/bin/demo/dialogue.js';
import { eventually } from '../../support/eventually.js';
import type { OutsideDesk } from '../../support/outside.js';
import type { AgentInbox } from './agent-inbox.js';
import { PATIENCE_MS } from './company.js';

/** A conversation of the script, and how far it is. */
interface Case {
  /** Name of the visitor, which finds it in the list. */
  name: string;
  dialogue: Dialogue;
  /** Turns that have been written. */
  done: number;
}

/** A desk on a busy day: visitors who write what a script gives them, and agents who answer at their dashboards. */
export class PlayedDay {
  private readonly cases = new Map<string, Case>();
  private readonly waiting: Dialogue[];
  private active = 0;
  private nextNumber = 0;

  /** @param atOnce conversations at a time */
  constructor(
    private readonly url: string,
    private readonly desk: OutsideDesk,
    dialogues: readonly Dialogue[],
    private readonly atOnce: number,
  ) {
    this.waiting = dialogues.toReversed();
  }

  get isOver(): boolean {
    return this.waiting.length === 0 && this.active === 0;
  }

  /** All conversations that were begun, by name of the visitor. */
  get played(): Case[] {
    return [...this.cases.values()];
  }

  /** Plays all visitors. */
  async visit(): Promise<void> {
    const visitors: Promise<void>[] = [];
    for (let dialogue = this.waiting.pop(); dialogue; dialogue = this.waiting.pop()) {
      await eventually(async () => this.active < this.atOnce || undefined, 10 * PATIENCE_MS);
      this.active += 1;
      this.nextNumber += 1;
      const visit = this.play({ name: `Visitor ${this.nextNumber}.`, dialogue, done: 0 });
      visitors.push(visit.finally(() => (this.active -= 1)));
    }
    await Promise.all(visitors);
  }

  private async play(each: Case): Promise<void> {
    const { name, dialogue } = each;
    const visitor = await VisitorClient.start({ baseUrl: this.url, widgetToken: this.desk.widgetToken, name });
    this.cases.set(name, each);
    const { conversation } = await visitor.startConversation(dialogue.turns[0]![1]);
    each.done = 1;
    const live = visitor.live({ conversationId: conversation.id });
    let answers = 0;
    live.on('message.created', ({ data: { message } }) => (answers += Number(message.sender_type === 'agent')));
    await live.open();
    let expected = 0;
    for (const [speaker, text] of dialogue.turns.slice(1)) {
      if (speaker === 'contact') {
        await visitor.send(conversation.id, text);
        each.done += 1;
      } else {
        expected += 1;
        await eventually(async () => answers >= expected || undefined, 10 * PATIENCE_MS);
      }
    }
    live.close();
  }

  /** Works as an agent until the day is over: answers who waits, takes new ones, and resolves what is finished. */
  async work(inbox: AgentInbox): Promise<void> {
    while (!this.isOver || (await this.rowOf(inbox, 'Assigned to you', '.row')) !== undefined) {
      const unread = await this.rowOf(inbox, 'Assigned to you', '.row.unread');
      // one whose last message came while it was open is not unread
      const own = unread ?? (await inbox.names()).findLast(name => this.isWaiting(name));
      const name = own ?? (await this.rowOf(inbox, 'Unassigned', '.row'));
      if (name !== undefined) await this.serve(inbox, name, own === undefined);
      else await this.finish(inbox);
    }
  }

  private isWaiting(name: string): boolean {
    const played = this.cases.get(name);
    return played?.dialogue.turns[played.done]?.[0] === 'agent';
  }

  /** @returns name of the last row that the selector finds in the view, which waits longest */
  private async rowOf(inbox: AgentInbox, view: string, selector: string): Promise<string | undefined> {
    await inbox.openView(view);
    const row = inbox.page.locator(selector).last().locator('.name');
    return row.innerText({ timeout: 300 }).catch(() => undefined);
  }

  private async serve(inbox: AgentInbox, name: string, isNew: boolean): Promise<void> {
    const played = this.cases.get(name);
    const opened = await inbox
      .row(name)
      .click({ timeout: 1_000 })
      .then(
        () => true,
        () => false,
      );
    if (!played || !opened) return;
    await inbox.page.getByRole('region', { name: `Conversation with ${name}` }).waitFor();
    if (isNew) {
      await inbox.page.keyboard.press('t');
      // a colleague may have been faster
      const mine = await inbox.timeline
        .getByText('You took it')
        .waitFor({ timeout: 3_000 })
        .then(
          () => true,
          () => false,
        );
      if (!mine) return;
    }
    for (
      let turn = played.dialogue.turns[played.done];
      turn?.[0] === 'agent';
      turn = played.dialogue.turns[played.done]
    ) {
      played.done += 1;
      await inbox.reply.fill(turn[1]);
      await inbox.reply.press('Enter');
    }
    if (played.done >= played.dialogue.turns.length) await this.resolve(inbox, name);
  }

  /** Resolves the first conversation that is finished. */
  private async finish(inbox: AgentInbox): Promise<void> {
    await inbox.openView('Assigned to you');
    for (const name of await inbox.names()) {
      const played = this.cases.get(name);
      if (!played || played.done < played.dialogue.turns.length) continue;
      await inbox.open(name);
      await this.resolve(inbox, name);
      return;
    }
  }

  private async resolve(inbox: AgentInbox, name: string): Promise<void> {
    await inbox.button('Resolve').click();
    await inbox.confirms(`${name} is resolved.`);
  }

  /** @param textsOf reads the texts of a conversation from the service, by name of its visitor */
  async check(textsOf: (name: string) => Promise<string[]>): Promise<void> {
    for (const { name, dialogue } of this.played) {
      expect([name, await textsOf(name)]).toEqual([name, dialogue.turns.map(([, text]) => text)]);
    }
  }
}

/** Participants: the contact, an agent with access to all channels, and one limited to a channel. */
export type Agent = 'owner' | 'colleague';
export type Person = 'visitor' | Agent;
export const PERSONS: readonly Person[] = ['visitor', 'owner', 'colleague'];

/** The expected response to a request. */
export interface Expected {
  status: number;
  code?: string;
  seq?: number;
}

const NOT_FOUND: Expected = { status: 404, code: 'not_found' };
const INVALID_TRANSITION: Expected = { status: 422, code: 'invalid_transition' };

interface ModelMessage {
  seq: number;
  by: Person | 'bot';
  /** Event name of a timeline entry, or text of a message; null after unsending. */
  words: string | null;
  event: boolean;
  private: boolean;
  clientId: string | null;
}

/** One durable event as each side receives it; null if that side does not. */
export interface Entry {
  agent: string | null;
  visitor: string | null;
  /** The same event without the message's text, as it is sent to clients that connect after unsending. */
  scrubbed: { agent: string | null; visitor: string | null } | null;
  /** Seq of the message that the event concerns; null if none. */
  seq: number | null;
  /** Number of events when the message was unsent. */
  scrubbedAt: number | null;
}

/**
 * Reference model of one conversation, written from the contract alone. It knows no database, socket or time; tests
 * compare it with the service.
 */
export class ConversationModel {
  status: 'open' | 'resolved' = 'open';
  assignee: Agent | null = null;
  version = 1;
  reopened = 0;
  agentsRead = 0;
  contactRead = 0;
  /** The resolve that its agent can take back. */
  private lastResolve: { by: Agent; assignee: Agent | null; seq: number } | null = null;
  readonly messages: ModelMessage[] = [];
  readonly entries: Entry[] = [];

  /** @param near true if the colleague has access to the conversation's channel */
  constructor(
    readonly near: boolean,
    words: string,
  ) {
    this.addEntry('begun', 'begun');
    this.append({ by: 'visitor', words, event: false, private: false, clientId: null });
  }

  get lastSeq(): number {
    return this.messages.length;
  }

  get lastPublicSeq(): number {
    return this.messages.findLast(message => !message.private)?.seq ?? 0;
  }

  get unread(): { agents: number; contact: number } {
    const open = this.messages.filter(message => message.words !== null && !message.private && !message.event);
    const after = (mark: number, byContact: boolean) =>
      open.filter(({ seq, by }) => seq > mark && (by === 'visitor') === byContact).length;
    return { agents: after(this.agentsRead, true), contact: after(this.contactRead, false) };
  }

  /** Preview of the last message in agents' or the visitor's lists. */
  preview(side: 'agent' | 'visitor'): string {
    const message = this.messages.findLast(message => !message.event && (side === 'agent' || !message.private));
    return message?.words ?? '';
  }

  sees(person: Person): boolean {
    return person !== 'colleague' || this.near;
  }

  send(by: Person, words: string, isPrivate: boolean, clientId: string | null): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    const existing = this.messages.find(
      message => message.by === by && clientId !== null && message.clientId === clientId,
    );
    if (existing) return { status: 200, seq: existing.seq };
    if (!isPrivate && this.status === 'resolved') this.comeBack();
    return { status: 201, seq: this.append({ by, words, event: false, private: isPrivate, clientId }) };
  }

  edit(by: Agent, seq: number, words: string): Expected {
    const refused = this.refusal(by, seq);
    if (refused) return refused;
    const message = this.at(seq);
    message.words = words;
    const line = (text: string | null) => `edited ${seq}: ${text}`;
    this.addEntry(line(words), message.private ? null : line(words), { seq, line, hidden: message.private });
    return { status: 200, seq };
  }

  unsend(by: Agent, seq: number): Expected {
    const refused = this.refusal(by, seq);
    if (refused) return refused;
    this.withdraw(this.at(seq));
    return { status: 200 };
  }

  read(by: Person, upTo: number): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    const contact = by === 'visitor';
    const known = contact ? this.contactRead : this.agentsRead;
    const mark = Math.min(upTo, contact ? this.lastPublicSeq : this.lastSeq);
    if (mark <= known) return { status: 200 };
    if (contact) this.contactRead = mark;
    else this.agentsRead = mark;
    const seen = this.messages.findLast(({ seq, private: hidden }) => seq > known && seq <= mark && !hidden);
    const line = (seq: number) => `read by ${contact ? 'contact' : 'agents'} up to ${seq}`;
    this.addEntry(line(mark), seen ? line(seen.seq) : null);
    return { status: 200 };
  }

  assign(by: Agent, to: Agent | null): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    if (to !== null && !this.sees(to)) return { status: 422, code: 'assignee_unavailable' };
    this.give(to);
    return { status: 200 };
  }

  take(by: Agent): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    if (this.status === 'resolved') return INVALID_TRANSITION;
    this.give(by);
    return { status: 200 };
  }

  resolve(by: Agent): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    if (this.status === 'resolved') return INVALID_TRANSITION;
    const { assignee } = this;
    this.move({ status: 'resolved' });
    const seq = this.append({ by: 'bot', words: 'resolved', event: true, private: false, clientId: null });
    this.lastResolve = { by, assignee, seq };
    return { status: 200 };
  }

  reopen(by: Agent): Expected {
    if (!this.sees(by)) return NOT_FOUND;
    if (this.status === 'open') return INVALID_TRANSITION;
    const last = this.lastResolve;
    if (last?.by === by && last.seq === this.lastPublicSeq) {
      this.withdraw(this.at(last.seq));
      this.move({ status: 'open', assignee: last.assignee });
    } else {
      this.comeBack();
    }
    return { status: 200 };
  }

  private comeBack(): void {
    this.reopened += 1;
    this.move({ status: 'open' });
    this.append({ by: 'bot', words: 'reopened', event: true, private: false, clientId: null });
  }

  /** Changes status and assignee in one event; an unchanged one is not in it. */
  private move(to: Partial<Pick<ConversationModel, 'status' | 'assignee'>>): void {
    const { status, assignee } = this;
    Object.assign(this, to);
    this.version += 1;
    const line = [
      ...(this.status === status ? [] : [`status ${status} → ${this.status}`]),
      ...(this.assignee === assignee ? [] : [`assignee ${assignee} → ${this.assignee}`]),
    ].join(' ');
    this.addEntry(`v${this.version} ${line}`, line);
  }

  private give(to: Agent | null): void {
    if (to === this.assignee) return;
    this.move({ assignee: to });
    const words = to === null ? 'unassigned' : 'assigned';
    this.append({ by: 'bot', words, event: true, private: true, clientId: null });
  }

  private withdraw(message: ModelMessage): void {
    const { seq } = message;
    message.words = null;
    for (const entry of this.entries) if (entry.seq === seq) entry.scrubbedAt ??= this.entries.length;
    this.addEntry(`unsent ${seq}`, message.private ? null : `unsent ${seq}`);
  }

  private append(draft: Omit<ModelMessage, 'seq'>): number {
    const seq = this.lastSeq + 1;
    this.messages.push({ ...draft, seq });
    const { by } = draft;
    if (!draft.private && (by === 'owner' || by === 'colleague')) this.agentsRead = seq;
    const { agents, contact } = this.unread;
    const line = (last: number) => (text: string | null) =>
      `${seq} ${draft.event ? 'event' : 'said'} by ${draft.by}${draft.private ? ' privately' : ''}: ${text} | ` +
      `${this.status} last ${last} unread ${agents}/${contact}`;
    const [forAgents, forVisitors] = [line(seq), line(this.lastPublicSeq)].map(written => {
      // the name of a timeline entry is no person's words, so it stays
      const [spoken, scrubbed] = [written(draft.words), written(draft.event ? draft.words : null)];
      return { spoken, scrubbed };
    }) as [Record<'spoken' | 'scrubbed', string>, Record<'spoken' | 'scrubbed', string>];
    this.entries.push({
      agent: forAgents.spoken,
      visitor: draft.private ? null : forVisitors.spoken,
      scrubbed: { agent: forAgents.scrubbed, visitor: draft.private ? null : forVisitors.scrubbed },
      seq,
      scrubbedAt: null,
    });
    return seq;
  }

  private addEntry(
    agent: string,
    visitor: string | null,
    about?: { seq: number; line: (words: string | null) => string; hidden: boolean },
  ): void {
    const gone = about?.line(null) ?? '';
    const scrubbed = about ? { agent: gone, visitor: about.hidden ? null : gone } : null;
    this.entries.push({ agent, visitor, scrubbed, seq: about?.seq ?? null, scrubbedAt: null });
  }

  /** The refusal of an agent's change to a message; null if permitted. */
  private refusal(by: Agent, seq: number): Expected | null {
    if (!this.sees(by)) return NOT_FOUND;
    const message = this.at(seq);
    if (message.words === null) return NOT_FOUND;
    return message.by === by ? null : { status: 403, code: 'not_sender' };
  }

  private at(seq: number): ModelMessage {
    const message = this.messages[seq - 1];
    if (!message) throw new Error(`there is no message ${seq}`);
    return message;
  }
}

/** Who takes part: the contact, an agent who sees everything, and one who is limited to a channel. */
export type Agent = 'owner' | 'colleague';
export type Person = 'visitor' | Agent;
export const PEOPLE: readonly Person[] = ['visitor', 'owner', 'colleague'];

/** What a request is to be answered with. */
export interface Expected {
  status: number;
  code?: string;
  seq?: number;
}

interface Said {
  seq: number;
  by: Person | 'bot';
  /** Of a timeline entry, the event; of what was said, the words; null when they were taken back. */
  words: string | null;
  event: boolean;
  private: boolean;
  clientId: string | null;
}

/** One durable event, as each side hears it; null where it is not told at all. */
export interface Entry {
  agent: string | null;
  visitor: string | null;
  /** The same with the words of its message gone, which is how it is told to whoever comes after they were taken back. */
  scrubbed: { agent: string | null; visitor: string | null } | null;
  /** Of its message, if it is about one. */
  seq: number | null;
  /** How many events there were when the words were taken back. */
  scrubbedAt: number | null;
}

/**
 * One conversation as it should be: what the contract says of it, in as few words as there are rules. It knows no
 * database, no socket and no time; what it says is compared with what the service says.
 */
export class TalkModel {
  status: 'open' | 'resolved' = 'open';
  assignee: Agent | null = null;
  version = 1;
  reopened = 0;
  agentsRead = 0;
  contactRead = 0;
  readonly messages: Said[] = [];
  readonly entries: Entry[] = [];

  /** @param near whether the conversation's channel is one that the colleague sees */
  constructor(
    readonly near: boolean,
    words: string,
  ) {
    this.tell('begun', 'begun');
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

  /** What lists show of the last thing that was said, to agents or to the visitor. */
  preview(side: 'agent' | 'visitor'): string {
    const said = this.messages.findLast(message => !message.event && (side === 'agent' || !message.private));
    return said?.words ?? '';
  }

  sees(person: Person): boolean {
    return person !== 'colleague' || this.near;
  }

  say(by: Person, words: string, note: boolean, clientId: string | null): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    const twin = this.messages.find(message => message.by === by && clientId !== null && message.clientId === clientId);
    if (twin) return { status: 200, seq: twin.seq };
    if (!note && this.status === 'resolved') this.comeBack();
    return { status: 201, seq: this.append({ by, words, event: false, private: note, clientId }) };
  }

  edit(by: Agent, seq: number, words: string): Expected {
    const refused = this.refusal(by, seq);
    if (refused) return refused;
    const said = this.at(seq);
    said.words = words;
    const line = (text: string | null) => `edited ${seq}: ${text}`;
    this.tell(line(words), said.private ? null : line(words), { seq, line, hidden: said.private });
    return { status: 200, seq };
  }

  unsend(by: Agent, seq: number): Expected {
    const refused = this.refusal(by, seq);
    if (refused) return refused;
    const said = this.at(seq);
    said.words = null;
    for (const entry of this.entries) if (entry.seq === seq) entry.scrubbedAt ??= this.entries.length;
    this.tell(`unsent ${seq}`, said.private ? null : `unsent ${seq}`);
    return { status: 200 };
  }

  read(by: Person, upTo: number): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    const contact = by === 'visitor';
    const known = contact ? this.contactRead : this.agentsRead;
    const mark = Math.min(upTo, contact ? this.lastPublicSeq : this.lastSeq);
    if (mark <= known) return { status: 200 };
    if (contact) this.contactRead = mark;
    else this.agentsRead = mark;
    const seen = this.messages.findLast(({ seq, private: hidden }) => seq > known && seq <= mark && !hidden);
    const line = (seq: number) => `read by ${contact ? 'contact' : 'agents'} up to ${seq}`;
    this.tell(line(mark), seen ? line(seen.seq) : null);
    return { status: 200 };
  }

  assign(by: Agent, to: Agent | null): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    if (to !== null && !this.sees(to)) return { status: 422, code: 'assignee_unavailable' };
    this.give(to);
    return { status: 200 };
  }

  take(by: Agent): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    if (this.status === 'resolved') return { status: 422, code: 'invalid_transition' };
    this.give(by);
    return { status: 200 };
  }

  resolve(by: Agent): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    if (this.status === 'resolved') return { status: 422, code: 'invalid_transition' };
    this.move('resolved');
    this.append({ by: 'bot', words: 'resolved', event: true, private: false, clientId: null });
    return { status: 200 };
  }

  reopen(by: Agent): Expected {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    if (this.status === 'open') return { status: 422, code: 'invalid_transition' };
    this.comeBack();
    return { status: 200 };
  }

  private comeBack(): void {
    this.reopened += 1;
    this.move('open');
    this.append({ by: 'bot', words: 'reopened', event: true, private: false, clientId: null });
  }

  private move(status: TalkModel['status']): void {
    const from = this.status;
    this.status = status;
    this.version += 1;
    this.tell(`v${this.version} status ${from} → ${status}`, `status ${from} → ${status}`);
  }

  private give(to: Agent | null): void {
    if (to === this.assignee) return;
    const from = this.assignee;
    this.assignee = to;
    this.version += 1;
    this.tell(`v${this.version} assignee ${from} → ${to}`, `assignee ${from} → ${to}`);
    const words = to === null ? 'unassigned' : 'assigned';
    this.append({ by: 'bot', words, event: true, private: true, clientId: null });
  }

  private append(draft: Omit<Said, 'seq'>): number {
    const seq = this.lastSeq + 1;
    this.messages.push({ ...draft, seq });
    const { agents, contact } = this.unread;
    const line = (last: number) => (text: string | null) =>
      `${seq} ${draft.event ? 'event' : 'said'} by ${draft.by}${draft.private ? ' in private' : ''}: ${text} | ` +
      `${this.status} last ${last} unread ${agents}/${contact}`;
    const [forAgents, forVisitors] = [line(seq), line(this.lastPublicSeq)].map(written => {
      const [spoken, scrubbed] = [written(draft.words), written(null)];
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

  private tell(
    agent: string,
    visitor: string | null,
    about?: { seq: number; line: (words: string | null) => string; hidden: boolean },
  ): void {
    const gone = about?.line(null) ?? '';
    const scrubbed = about ? { agent: gone, visitor: about.hidden ? null : gone } : null;
    this.entries.push({ agent, visitor, scrubbed, seq: about?.seq ?? null, scrubbedAt: null });
  }

  /** Why an agent may not change a message. */
  private refusal(by: Agent, seq: number): Expected | null {
    if (!this.sees(by)) return { status: 404, code: 'not_found' };
    const said = this.at(seq);
    if (said.words === null) return { status: 404, code: 'not_found' };
    return said.by === by ? null : { status: 403, code: 'not_sender' };
  }

  private at(seq: number): Said {
    const said = this.messages[seq - 1];
    if (!said) throw new Error(`nothing has the number ${seq}`);
    return said;
  }
}

/** What one client has to have heard, by the places of events in the model. */
export class Owed {
  /** Heard, or still to be. */
  private readonly must = new Set<number>();
  private readonly may = new Set<number>();
  /** What has happened since it was there, or was lost when it dropped out. */
  private pending: number[] = [];
  private counted: number;

  /** @param present how much had happened when it first came */
  constructor(
    private readonly model: TalkModel,
    private readonly person: Person,
    present: number,
  ) {
    this.counted = present;
  }

  /** While it is there, all that happens is to reach it; while it is away, it waits. */
  follow(connected: boolean): void {
    const { entries } = this.model;
    for (; this.counted < entries.length; this.counted += 1) {
      if (this.lineAt(this.counted) === null) continue;
      if (connected) this.must.add(this.counted);
      else this.pending.push(this.counted);
    }
  }

  /** It drops out, perhaps before it has been told everything. */
  drop(heard: ReadonlySet<number>): void {
    const lost = [...this.must].filter(place => !heard.has(place));
    for (const place of lost) this.must.delete(place);
    this.pending = [...lost, ...this.pending];
  }

  /** It comes back, with its cursor or as if for the first time: then it has read the present state instead. */
  comeBack(resumes: boolean): void {
    for (const place of this.pending) (resumes ? this.must : this.may).add(place);
    this.pending = [];
  }

  /** The events in question, in order. */
  places(): { place: number; must: boolean; line: string; scrubbed: string | null; scrubbedAt: number }[] {
    return [...this.must, ...this.may]
      .sort((a, b) => a - b)
      .map(place => {
        const entry = this.model.entries[place];
        return {
          place,
          must: this.must.has(place),
          line: this.lineAt(place) ?? '',
          scrubbed: entry?.scrubbed?.[this.side] ?? null,
          scrubbedAt: entry?.scrubbedAt ?? Infinity,
        };
      });
  }

  private get side(): 'agent' | 'visitor' {
    return this.person === 'visitor' ? 'visitor' : 'agent';
  }

  private lineAt(place: number): string | null {
    return this.model.sees(this.person) ? (this.model.entries[place]?.[this.side] ?? null) : null;
  }
}

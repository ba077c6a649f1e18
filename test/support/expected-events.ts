import type { ConversationModel, Person } from './conversation-model.js';

/** Events that one client must have received, as indexes into the model's events. */
export class ExpectedEvents {
  /** Received, or still required. */
  private readonly must = new Set<number>();
  private readonly may = new Set<number>();
  /** Events since the client was last connected, or lost when it dropped out. */
  private pending: number[] = [];
  private counted: number;

  /** @param present number of events when the client first connected */
  constructor(
    private readonly model: ConversationModel,
    private readonly person: Person,
    present: number,
  ) {
    this.counted = present;
  }

  /** Adds new events: required if the client is connected, pending otherwise. */
  follow(connected: boolean): void {
    const { entries } = this.model;
    for (; this.counted < entries.length; this.counted += 1) {
      if (this.lineAt(this.counted) === null) continue;
      if (connected) this.must.add(this.counted);
      else this.pending.push(this.counted);
    }
  }

  /** Disconnects the client, perhaps before everything arrived. */
  drop(received: ReadonlySet<number>): void {
    const lost = [...this.must].filter(index => !received.has(index));
    for (const index of lost) this.must.delete(index);
    this.pending = [...lost, ...this.pending];
  }

  /**
   * Reconnects. Pending events are required with a cursor, optional without: the client has then read the current
   * state.
   */
  reconnect(resumes: boolean): void {
    for (const index of this.pending) (resumes ? this.must : this.may).add(index);
    this.pending = [];
  }

  /** Required and optional events, in order. */
  list(): { index: number; must: boolean; line: string; scrubbed: string | null; scrubbedAt: number }[] {
    return [...this.must, ...this.may]
      .sort((a, b) => a - b)
      .map(index => {
        const entry = this.model.entries[index];
        return {
          index,
          must: this.must.has(index),
          line: this.lineAt(index) ?? '',
          scrubbed: entry?.scrubbed?.[this.side] ?? null,
          scrubbedAt: entry?.scrubbedAt ?? Infinity,
        };
      });
  }

  private get side(): 'agent' | 'visitor' {
    return this.person === 'visitor' ? 'visitor' : 'agent';
  }

  private lineAt(index: number): string | null {
    return this.model.sees(this.person) ? (this.model.entries[index]?.[this.side] ?? null) : null;
  }
}

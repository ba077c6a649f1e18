import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { AppendedEvent } from './event.repository.js';
import type { Watermark } from './watermark.js';

/** So many events may be ahead of the log's reader; more are left to the reader. */
const MAX_EARLY_EVENTS = 50_000;

interface Arrival {
  xid: bigint;
  /** The look at the log that was the last before it arrived. */
  look: number;
}

interface Waiting extends Pick<Arrival, 'look'> {
  event: AppendedEvent;
}

/**
 * Events that the fanout brought before the log's reader came to them: those that were delivered, and those that wait
 * for the one before them in their conversation. Each look of the reader removes those that it has come to.
 */
export class EarlyEvents {
  private readonly delivered = new Map<string, Arrival>();
  /** By the id of the event that they wait for. */
  private readonly waiting = new Map<string, Waiting>();
  private looks = 0;

  get isFull(): boolean {
    return this.delivered.size + this.waiting.size >= MAX_EARLY_EVENTS;
  }

  isDelivered(id: string): boolean {
    return this.delivered.has(id);
  }

  addDelivered({ id, xid }: Pick<RecordedEvent, 'id' | 'xid'>): void {
    this.delivered.set(id, { xid: BigInt(xid), look: this.looks });
  }

  addWaiting(event: AppendedEvent, previousId: string): void {
    this.waiting.set(previousId, { event, look: this.looks });
  }

  /** The event that waits for this one, which waits no longer. */
  takeFollowing(id: string): AppendedEvent | undefined {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found?.event;
  }

  beginLook(): void {
    this.looks += 1;
  }

  /**
   * Removes what the watermark covers. An event is published after its commit, so the second look after its arrival
   * finds it in the log, or it is none of this log's. @returns how many were not in the log
   */
  endLook(watermark: Watermark): number {
    let unknown = 0;
    for (const [id, { xid, look }] of this.delivered) {
      const covered = watermark.covers(xid);
      if (!covered && this.looks - look < 2) continue;
      this.delivered.delete(id);
      if (!covered) unknown += 1;
    }
    for (const [previousId, { event, look }] of this.waiting) {
      const covered = watermark.covers(BigInt(event.xid));
      if (!covered && this.looks - look < 2) continue;
      this.waiting.delete(previousId);
      if (!covered) unknown += 1;
    }
    return unknown;
  }

  clear(): void {
    this.delivered.clear();
    this.waiting.clear();
  }
}

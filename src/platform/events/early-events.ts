import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { AppendedEvent } from './event.repository.js';
import type { Watermark } from './watermark.js';

/** Events kept at most. Beyond it, events are delivered when the log is read. */
const MAX_EARLY_EVENTS = 50_000;

interface Arrival {
  xid: bigint;
  /** The number of the last log read that began before it arrived. */
  readNumber: number;
}

interface WaitingEvent extends Pick<Arrival, 'readNumber'> {
  event: AppendedEvent;
}

/**
 * Events that the fanout brought before they were read from the log: delivered ones, and ones that wait for their
 * predecessor in the conversation. Each read of the log removes the events that it covers.
 */
export class EarlyEvents {
  private readonly delivered = new Map<string, Arrival>();
  /** By the id of the event that they wait for. */
  private readonly waiting = new Map<string, WaitingEvent>();
  private readNumber = 0;

  get isFull(): boolean {
    return this.delivered.size + this.waiting.size >= MAX_EARLY_EVENTS;
  }

  isDelivered(id: string): boolean {
    return this.delivered.has(id);
  }

  addDelivered({ id, xid }: Pick<RecordedEvent, 'id' | 'xid'>): void {
    this.delivered.set(id, { xid: BigInt(xid), readNumber: this.readNumber });
  }

  addWaiting(event: AppendedEvent, previousId: string): void {
    this.waiting.set(previousId, { event, readNumber: this.readNumber });
  }

  /** Removes and returns the event that waits for this one. */
  takeFollowing(id: string): AppendedEvent | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting?.event;
  }

  /** Call it before each read of the log. */
  beginRead(): void {
    this.readNumber += 1;
  }

  /**
   * Removes the events that the watermark covers. An event is published after its commit, so the second read after its
   * arrival finds it at the latest; otherwise the log does not contain it.
   * @returns the number of events that the log does not contain
   */
  endRead(watermark: Watermark): number {
    let unknown = 0;
    for (const [id, { xid, readNumber }] of this.delivered) {
      const covered = watermark.covers(xid);
      if (!covered && this.readNumber - readNumber < 2) continue;
      this.delivered.delete(id);
      if (!covered) unknown += 1;
    }
    for (const [previousId, { event, readNumber }] of this.waiting) {
      const covered = watermark.covers(BigInt(event.xid));
      if (!covered && this.readNumber - readNumber < 2) continue;
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

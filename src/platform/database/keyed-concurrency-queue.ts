import { Unavailable } from '../../kernel/errors.js';

interface Waiter {
  start(): void;
  timer: NodeJS.Timeout;
}

interface Slots {
  running: number;
  waiting: Waiter[];
}

/**
 * Queue per key in front of the connection pool, usually of one row. Only a few transactions of a key use a connection
 * at a time, so that a row that stays locked cannot exhaust the pool. Ours, because p-queue has no keys and limits the
 * time of the work, not of the wait.
 */
export class KeyedConcurrencyQueue {
  private readonly keys = new Map<string, Slots>();

  /** @param maxRunning maximum number of concurrent transactions per key */
  constructor(private readonly maxRunning: number) {}

  /** Runs the work when a slot of the key is free, in order of arrival. @throws Unavailable after `waitMs` */
  async run<T>(key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const slots = this.keys.get(key) ?? { running: 0, waiting: [] };
    this.keys.set(key, slots);
    if (slots.running < this.maxRunning) slots.running += 1;
    else await this.waitForSlot(slots, waitMs);
    try {
      return await work();
    } finally {
      this.releaseSlot(key, slots);
    }
  }

  private waitForSlot(slots: Slots, waitMs: number): Promise<void> {
    return new Promise((start, reject) => {
      const giveUp = (): void => {
        slots.waiting.splice(slots.waiting.indexOf(waiter), 1);
        reject(new Unavailable({ retryAfter: 1 }));
      };
      const waiter: Waiter = { start, timer: setTimeout(giveUp, waitMs) };
      slots.waiting.push(waiter);
    });
  }

  /** Passes the slot to the first waiter. */
  private releaseSlot(key: string, slots: Slots): void {
    const next = slots.waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.start();
      return;
    }
    slots.running -= 1;
    if (slots.running === 0) this.keys.delete(key);
  }
}

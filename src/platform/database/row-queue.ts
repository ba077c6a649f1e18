import { Unavailable } from '../../kernel/errors.js';

interface Waiter {
  start(): void;
  timer: NodeJS.Timeout;
}

interface Row {
  running: number;
  waiting: Waiter[];
}

/**
 * Queue per row in front of the connection pool. Only a few transactions of one row use a connection at a time, so that
 * a row that stays locked cannot exhaust the pool. Ours, because p-queue has no keys and limits the time of the work, not
 * of the wait.
 */
export class RowQueue {
  private readonly rows = new Map<string, Row>();

  /** @param maxRunning maximum number of concurrent transactions per row */
  constructor(private readonly maxRunning: number) {}

  /** Runs the work when a slot of the row is free, in order of arrival. @throws Unavailable after `waitMs` */
  async run<T>(key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const row = this.rows.get(key) ?? { running: 0, waiting: [] };
    this.rows.set(key, row);
    if (row.running < this.maxRunning) row.running += 1;
    else await this.waitForSlot(row, waitMs);
    try {
      return await work();
    } finally {
      this.releaseSlot(key, row);
    }
  }

  private waitForSlot(row: Row, waitMs: number): Promise<void> {
    return new Promise((start, reject) => {
      const giveUp = (): void => {
        row.waiting.splice(row.waiting.indexOf(waiter), 1);
        reject(new Unavailable({ retryAfter: 1 }));
      };
      const waiter: Waiter = { start, timer: setTimeout(giveUp, waitMs) };
      row.waiting.push(waiter);
    });
  }

  /** Passes the slot to the first waiter. */
  private releaseSlot(key: string, row: Row): void {
    const next = row.waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.start();
      return;
    }
    row.running -= 1;
    if (row.running === 0) this.rows.delete(key);
  }
}

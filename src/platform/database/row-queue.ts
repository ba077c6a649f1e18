import { Unavailable } from '../../kernel/errors.js';

interface Waiter {
  enter(): void;
  timer: NodeJS.Timeout;
}

interface Row {
  inside: number;
  waiting: Waiter[];
}

/**
 * A queue for each row before the connection pool: of all transactions that want one row only a few take a connection,
 * so a row that stays locked costs a part of the pool and not all of it.
 */
export class RowQueue {
  private readonly rows = new Map<string, Row>();

  /** @param maxRunning transactions of one row that may have a connection at the same time */
  constructor(private readonly maxRunning: number) {}

  /** Does the work once a place is free, in order of arrival. @throws Unavailable when none is free within `waitMs` */
  async run<T>(key: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    const row = this.rows.get(key) ?? { inside: 0, waiting: [] };
    this.rows.set(key, row);
    if (row.inside < this.maxRunning) row.inside += 1;
    else await this.waitForTurn(row, waitMs);
    try {
      return await work();
    } finally {
      this.leave(key, row);
    }
  }

  private waitForTurn(row: Row, waitMs: number): Promise<void> {
    return new Promise((enter, reject) => {
      const giveUp = (): void => {
        row.waiting.splice(row.waiting.indexOf(waiter), 1);
        reject(new Unavailable({ retryAfter: 1 }));
      };
      const waiter: Waiter = { enter, timer: setTimeout(giveUp, waitMs) };
      row.waiting.push(waiter);
    });
  }

  /** The place goes to the first who waits. */
  private leave(key: string, row: Row): void {
    const next = row.waiting.shift();
    if (next) {
      clearTimeout(next.timer);
      next.enter();
      return;
    }
    row.inside -= 1;
    if (row.inside === 0) this.rows.delete(key);
  }
}

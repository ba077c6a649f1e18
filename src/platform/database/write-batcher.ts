import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../../kernel/errors.js';

interface Waiter<Item, Result> {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type Outcome<Row> = { rows: readonly Row[] } | { error: unknown };

export interface WriteBatcherOptions<Item, Row, Result> {
  /** Maximum number of items per batch. */
  maxItems: number;
  /** Milliseconds after which an item that has not started is rejected. It had no effect. */
  waitMs: number;
  /**
   * Writes all items. When it throws, possibly none was written.
   * @param waitedMs wait of the oldest item
   * @returns one row per item, in order
   */
  execute(items: readonly Item[], waitedMs: number): Promise<readonly Row[]>;
  /** Makes the callers' results from the rows. @returns one result per item */
  onFlush(items: readonly Item[], rows: readonly Row[]): readonly Result[];
  /** Returns true when nothing was written for certain, so that each item may be retried alone. */
  isRetryable(error: unknown): boolean;
}

/**
 * Batches the items that arrive while a batch is running: a statement for fifty rows costs little more than one for a
 * single row, and a commit costs the same. A batch starts at the end of the event loop's turn. Items of a failed batch are
 * retried one by one, so that an invalid row fails alone. dataloader would batch by tick, not by what is under way.
 */
export class WriteBatcher<Item, Row, Result> {
  private waiting: Waiter<Item, Result>[] = [];
  private running = false;
  /**
   * Runs batches outside any request context: under load one batch starts the next, which would keep a request alive.
   */
  private readonly runOutside = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: WriteBatcherOptions<Item, Row, Result>) {}

  /** True when no item is running or waiting. */
  get idle(): boolean {
    return !this.running;
  }

  /** @throws the error of `execute` for this item; Unavailable when it did not start in time */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      if (this.running) {
        this.timer ??= this.runOutside(() => setTimeout(() => this.rejectLate(), this.options.waitMs));
        return;
      }
      this.running = true;
      this.runOutside(() => setImmediate(() => this.flushNext()));
    });
  }

  /** Starts the next batch, at the end of a turn: requests that were read together share it. */
  private flushNext(): void {
    this.running = this.waiting.length > 0;
    if (this.running) void this.flush(this.waiting.splice(0, this.options.maxItems));
    if (this.waiting.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async flush(waiters: readonly Waiter<Item, Result>[]): Promise<void> {
    const outcome = await this.execute(waiters);
    if (waiters.length > 1 && 'error' in outcome && this.options.isRetryable(outcome.error)) {
      for (const waiter of waiters) this.settle([waiter], await this.execute([waiter]));
    } else {
      this.settle(waiters, outcome);
    }
    setImmediate(() => this.flushNext());
  }

  private execute(waiters: readonly Waiter<Item, Result>[]): Promise<Outcome<Row>> {
    const waited = performance.now() - (waiters[0]?.since ?? 0);
    const items = waiters.map(({ item }) => item);
    return this.options.execute(items, waited).then(
      rows => ({ rows }),
      (error: unknown) => ({ error }),
    );
  }

  /** Rejects items that waited too long; they are first in the queue. Sets the timer for the next item to expire. */
  private rejectLate(): void {
    const oldest = performance.now() - this.options.waitMs;
    const onTime = this.waiting.findIndex(({ since }) => since > oldest);
    const late = this.waiting.splice(0, onTime === -1 ? this.waiting.length : onTime);
    const first = this.waiting[0];
    this.timer = first && setTimeout(() => this.rejectLate(), Math.ceil(first.since - oldest));
    for (const { reject } of late) reject(new Unavailable({ retryAfter: 1 }));
  }

  private settle(waiters: readonly Waiter<Item, Result>[], outcome: Outcome<Row>): void {
    try {
      if ('error' in outcome) throw outcome.error;
      const results = this.options.onFlush(
        waiters.map(({ item }) => item),
        outcome.rows,
      );
      if (results.length !== waiters.length) throw new Error(`${waiters.length} items had ${results.length} results`);
      waiters.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      waiters.forEach(({ reject }) => reject(error));
    }
  }
}

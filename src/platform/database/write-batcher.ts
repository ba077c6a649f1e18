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
  /** So many are done together at most. */
  maxItems: number;
  /** An item that has not begun after so many milliseconds is given up: nothing of it has happened. */
  waitMs: number;
  /**
   * Does all of them, or, when it throws, perhaps none.
   * @param waitedMs how long the oldest of them has waited
   * @returns what came of each, in their order
   */
  execute(items: readonly Item[], waitedMs: number): Promise<readonly Row[]>;
  /** What their callers are told of it, while the next are under way already. @returns a result for each */
  onFlush(items: readonly Item[], rows: readonly Row[]): readonly Result[];
  /** Whether it is certain that nothing of them has happened, so that each may be tried alone. */
  isRetryable(error: unknown): boolean;
}

/**
 * Does together what comes while the one before is under way: a statement for fifty rows costs little more than one for
 * one, and a commit the same. What comes alone waits for nobody. When several fail together, each is tried alone: one bad
 * row fails alone.
 */
export class WriteBatcher<Item, Row, Result> {
  private waiting: Waiter<Item, Result>[] = [];
  private running = false;
  /** Under load one batch starts the next: in the context of the first item, its request would stay alive as long. */
  private readonly runOutside = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: WriteBatcherOptions<Item, Row, Result>) {}

  /** Nothing is under way, and nothing waits. */
  get idle(): boolean {
    return !this.running;
  }

  /** @throws what `run` throws of this item; Unavailable when its turn has not come in time */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      if (!this.running) this.runOutside(() => this.flushNext());
      else this.timer ??= this.runOutside(() => setTimeout(() => this.rejectLate(), this.options.waitMs));
    });
  }

  /** What to tell of those before is worked out while the database is at these: neither waits for the other. */
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
      return this.flushNext();
    }
    this.flushNext();
    this.settle(waiters, outcome);
  }

  private execute(waiters: readonly Waiter<Item, Result>[]): Promise<Outcome<Row>> {
    const waited = performance.now() - (waiters[0]?.since ?? 0);
    const items = waiters.map(({ item }) => item);
    return this.options.execute(items, waited).then(
      rows => ({ rows }),
      (error: unknown) => ({ error }),
    );
  }

  /** Those who have waited too long are the first. The others are looked at again when the first of them may be late. */
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

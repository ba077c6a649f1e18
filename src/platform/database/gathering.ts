import { AsyncLocalStorage } from 'node:async_hooks';
import { Unavailable } from '../../kernel/errors.js';

interface Waiter<Item, Result> {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type Outcome<Row> = { rows: readonly Row[] } | { error: unknown };

export interface GatheringOptions<Item, Row, Result> {
  /** So many are done together at most. */
  most: number;
  /** An item that has not begun after so many milliseconds is given up: nothing of it has happened. */
  waitMs: number;
  /**
   * Does all of them, or, when it throws, perhaps none.
   * @param waitedMs how long the oldest of them has waited
   * @returns what came of each, in their order
   */
  run(items: readonly Item[], waitedMs: number): Promise<readonly Row[]>;
  /** What their callers are told of it, while the next are under way already. @returns a result for each */
  tell(items: readonly Item[], rows: readonly Row[]): readonly Result[];
  /** Whether it is certain that nothing of them has happened, so that each may be tried alone. */
  undone(error: unknown): boolean;
}

/**
 * Does together what comes while the one before is under way: a statement for fifty rows costs little more than one for
 * one, and a commit the same. What comes alone waits for nobody. When several fail together, each is tried alone: one bad
 * row fails alone.
 */
export class Gathering<Item, Row, Result> {
  private waiting: Waiter<Item, Result>[] = [];
  private underWay = false;
  /** Under load one batch starts the next: in the context of the first item, its request would stay alive as long. */
  private readonly outside = AsyncLocalStorage.snapshot();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: GatheringOptions<Item, Row, Result>) {}

  /** Nothing is under way, and nothing waits. */
  get idle(): boolean {
    return !this.underWay;
  }

  /** @throws what `run` throws of this item; Unavailable when its turn has not come in time */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      if (!this.underWay) this.outside(() => this.next());
      else this.timer ??= this.outside(() => setTimeout(() => this.giveUpLate(), this.options.waitMs));
    });
  }

  /** What to tell of those before is worked out while the database is at these: neither waits for the other. */
  private next(): void {
    this.underWay = this.waiting.length > 0;
    if (this.underWay) void this.together(this.waiting.splice(0, this.options.most));
    if (this.waiting.length > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async together(waiters: readonly Waiter<Item, Result>[]): Promise<void> {
    const outcome = await this.attempt(waiters);
    if (waiters.length > 1 && 'error' in outcome && this.options.undone(outcome.error)) {
      for (const waiter of waiters) this.settle([waiter], await this.attempt([waiter]));
      return this.next();
    }
    this.next();
    this.settle(waiters, outcome);
  }

  private attempt(waiters: readonly Waiter<Item, Result>[]): Promise<Outcome<Row>> {
    const waited = performance.now() - (waiters[0]?.since ?? 0);
    const items = waiters.map(({ item }) => item);
    return this.options.run(items, waited).then(
      rows => ({ rows }),
      (error: unknown) => ({ error }),
    );
  }

  /** Those who have waited too long are the first. The others are looked at again when the first of them may be late. */
  private giveUpLate(): void {
    const oldest = performance.now() - this.options.waitMs;
    const onTime = this.waiting.findIndex(({ since }) => since > oldest);
    const late = this.waiting.splice(0, onTime === -1 ? this.waiting.length : onTime);
    const first = this.waiting[0];
    this.timer = first && setTimeout(() => this.giveUpLate(), Math.ceil(first.since - oldest));
    for (const { reject } of late) reject(new Unavailable({ retryAfter: 1 }));
  }

  private settle(waiters: readonly Waiter<Item, Result>[], outcome: Outcome<Row>): void {
    try {
      if ('error' in outcome) throw outcome.error;
      const results = this.options.tell(
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

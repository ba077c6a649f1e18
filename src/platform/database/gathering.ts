interface Waiter<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

type Outcome<Row> = { rows: readonly Row[] } | { error: unknown };

export interface GatheringOptions<Item, Row, Result> {
  /** So many are done together at most. */
  most: number;
  /** Does all of them, or, when it throws, perhaps none. @returns what came of each, in their order */
  run(items: readonly Item[]): Promise<readonly Row[]>;
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

  constructor(private readonly options: GatheringOptions<Item, Row, Result>) {}

  /** @throws what `run` throws of this item */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.underWay) this.next();
    });
  }

  /** What to tell of those before is worked out while the database is at these: neither waits for the other. */
  private next(): void {
    this.underWay = this.waiting.length > 0;
    if (this.underWay) void this.together(this.waiting.splice(0, this.options.most));
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
    return this.options.run(waiters.map(({ item }) => item)).then(
      rows => ({ rows }),
      (error: unknown) => ({ error }),
    );
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

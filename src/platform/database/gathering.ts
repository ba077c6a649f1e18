interface Waiter<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GatheringOptions<Item, Result> {
  /** So many are done together at most. */
  most: number;
  /** Does all of them, or, when it throws, perhaps none. @returns a result for each, in their order */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Whether it is certain that nothing of them has happened, so that each may be tried alone. */
  undone(error: unknown): boolean;
}

/**
 * Does together what comes while the one before is under way: a statement for fifty rows costs little more than one for
 * one, and a commit the same. What comes alone waits for nobody. When several fail together, each is tried alone: one bad
 * row fails alone.
 */
export class Gathering<Item, Result> {
  private waiting: Waiter<Item, Result>[] = [];
  private underWay = false;

  constructor(private readonly options: GatheringOptions<Item, Result>) {}

  /** @throws what `run` throws of this item */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.underWay) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.underWay = true;
    while (this.waiting.length > 0) await this.together(this.waiting.splice(0, this.options.most));
    this.underWay = false;
  }

  private async together(waiters: readonly Waiter<Item, Result>[]): Promise<void> {
    try {
      const results = await this.options.run(waiters.map(({ item }) => item));
      if (results.length !== waiters.length) throw new Error(`${waiters.length} items had ${results.length} results`);
      waiters.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      const [alone] = waiters;
      if (waiters.length === 1 && alone) return alone.reject(error);
      if (!this.options.undone(error)) return waiters.forEach(({ reject }) => reject(error));
      for (const waiter of waiters) await this.together([waiter]);
    }
  }
}

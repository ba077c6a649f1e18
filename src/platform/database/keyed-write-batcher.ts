import type { WriteBatcherOptions } from './write-batcher.js';
import { WriteBatcher } from './write-batcher.js';
import { RowQueue } from './row-queue.js';

export interface KeyedWriteBatcherOptions<Item, Row, Result> extends Omit<
  WriteBatcherOptions<Item, Row, Result>,
  'execute'
> {
  /** Of all keys together so many run at the same time. */
  lanes: number;
  /** @param leftMs how long these may still wait for a lock */
  execute(items: readonly Item[], leftMs: number): Promise<readonly Row[]>;
}

interface KeyBatcher<Item, Row, Result> {
  batcher: WriteBatcher<Item, Row, Result>;
  /** Drops it once it is idle; started anew by each item that is done. */
  timer: NodeJS.Timeout;
}

/** The least that a statement is given to get its lock: less would fail where nobody is in the way. */
const LEAST_MS = 50;
const LANES = 'lanes';
/** How long a key keeps its batcher: what two instances take in turns is wanted again at once. */
const KEEP_MS = 25;

/**
 * A batcher of its own for each key: what waits for one locked row waits together, in one statement, and in nobody
 * else's. Items wait `waitMs` in all, for a lane and for the lock.
 */
export class KeyedWriteBatcher<Item, Row, Result> {
  private readonly batchers = new Map<string, KeyBatcher<Item, Row, Result>>();
  private readonly lanes: RowQueue;

  constructor(private readonly options: KeyedWriteBatcherOptions<Item, Row, Result>) {
    this.lanes = new RowQueue(options.lanes);
  }

  /** Whether something of this key waits, is under way, or was until a moment ago. */
  has(key: string): boolean {
    return this.batchers.has(key);
  }

  /** @throws what `run` throws of this item; Unavailable when its turn has not come in time */
  async add(key: string, item: Item): Promise<Result> {
    const { batcher: batcher, timer } = this.batchers.get(key) ?? this.open(key);
    try {
      return await batcher.add(item);
    } finally {
      timer.refresh();
    }
  }

  private open(key: string): KeyBatcher<Item, Row, Result> {
    const { waitMs, execute } = this.options;
    const batcher = new WriteBatcher<Item, Row, Result>({
      ...this.options,
      execute: (items, waitedMs) => {
        const until = performance.now() + Math.max(LEAST_MS, waitMs - waitedMs);
        const left = (): number => Math.max(LEAST_MS, Math.ceil(until - performance.now()));
        return this.lanes.run(LANES, left(), () => execute(items, left()));
      },
    });
    const timer = setTimeout(() => {
      if (batcher.idle) this.batchers.delete(key);
    }, KEEP_MS).unref();
    const entry = { batcher, timer };
    this.batchers.set(key, entry);
    return entry;
  }
}

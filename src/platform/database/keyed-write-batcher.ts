import type { WriteBatcherOptions } from './write-batcher.js';
import { WriteBatcher } from './write-batcher.js';
import { KeyedConcurrencyQueue } from './keyed-concurrency-queue.js';

export interface KeyedWriteBatcherOptions<Item, Row, Result> extends Omit<
  WriteBatcherOptions<Item, Row, Result>,
  'execute'
> {
  /** Maximum number of concurrent batches of all keys together. */
  lanes: number;
  /** @param leftMs remaining time that these items may wait for a lock */
  execute(items: readonly Item[], leftMs: number): Promise<readonly Row[]>;
}

interface KeyBatcher<Item, Row, Result> {
  batcher: WriteBatcher<Item, Row, Result>;
  /** Removes the batcher once it is idle. Each finished item restarts the timer. */
  timer: NodeJS.Timeout;
}

/** Minimum lock timeout of a statement: less would fail even without contention. */
const MIN_LOCK_MS = 50;
const LANES = 'lanes';
/** Idle time after which a batcher is removed: a row that two instances write in turns is needed again at once. */
const IDLE_MS = 25;

/**
 * Write batcher with a separate batch per key, so that items for one locked row wait in one statement and do not delay
 * other keys. An item waits at most `waitMs` in total, for a lane and for the lock; dataloader batches by tick and knows
 * neither.
 */
export class KeyedWriteBatcher<Item, Row, Result> {
  private readonly batchers = new Map<string, KeyBatcher<Item, Row, Result>>();
  private readonly lanes: KeyedConcurrencyQueue;

  constructor(private readonly options: KeyedWriteBatcherOptions<Item, Row, Result>) {
    this.lanes = new KeyedConcurrencyQueue(options.lanes);
  }

  /** Returns true while items of this key wait or run, and for a short time afterwards. */
  has(key: string): boolean {
    return this.batchers.has(key);
  }

  /** @throws the error of `execute` for this item; Unavailable when it did not start in time */
  async add(key: string, item: Item): Promise<Result> {
    const { batcher, timer } = this.batchers.get(key) ?? this.open(key);
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
        const until = performance.now() + Math.max(MIN_LOCK_MS, waitMs - waitedMs);
        const left = (): number => Math.max(MIN_LOCK_MS, Math.ceil(until - performance.now()));
        return this.lanes.run(LANES, left(), () => execute(items, left()));
      },
    });
    const timer = setTimeout(() => {
      if (batcher.idle) this.batchers.delete(key);
    }, IDLE_MS).unref();
    const entry = { batcher, timer };
    this.batchers.set(key, entry);
    return entry;
  }
}

import type { GatheringOptions } from './gathering.js';
import { Gathering } from './gathering.js';
import { RowQueue } from './row-queue.js';

export interface KeyedGatheringOptions<Item, Row, Result> extends Omit<GatheringOptions<Item, Row, Result>, 'run'> {
  /** Of all keys together so many run at the same time. */
  lanes: number;
  /** @param leftMs how long these may still wait for a lock */
  run(items: readonly Item[], leftMs: number): Promise<readonly Row[]>;
}

interface Kept<Item, Row, Result> {
  gathering: Gathering<Item, Row, Result>;
  /** Drops it once it is idle; started anew by each item that is done. */
  timer: NodeJS.Timeout;
}

/** The least that a statement is given to get its lock: less would fail where nobody is in the way. */
const LEAST_MS = 50;
const LANES = 'lanes';
/** How long a key keeps its gathering: what two instances take in turns is wanted again at once. */
const KEEP_MS = 25;

/**
 * A gathering of its own for each key: what waits for one locked row waits together, in one statement, and in nobody
 * else's. Items wait `waitMs` in all, for a lane and for the lock.
 */
export class KeyedGathering<Item, Row, Result> {
  private readonly kept = new Map<string, Kept<Item, Row, Result>>();
  private readonly lanes: RowQueue;

  constructor(private readonly options: KeyedGatheringOptions<Item, Row, Result>) {
    this.lanes = new RowQueue(options.lanes);
  }

  /** Whether something of this key waits, is under way, or was until a moment ago. */
  has(key: string): boolean {
    return this.kept.has(key);
  }

  /** @throws what `run` throws of this item; Unavailable when its turn has not come in time */
  async add(key: string, item: Item): Promise<Result> {
    const { gathering, timer } = this.kept.get(key) ?? this.open(key);
    try {
      return await gathering.add(item);
    } finally {
      timer.refresh();
    }
  }

  private open(key: string): Kept<Item, Row, Result> {
    const { waitMs, run } = this.options;
    const gathering = new Gathering<Item, Row, Result>({
      ...this.options,
      run: (items, waitedMs) => {
        const until = performance.now() + Math.max(LEAST_MS, waitMs - waitedMs);
        const left = (): number => Math.max(LEAST_MS, Math.ceil(until - performance.now()));
        return this.lanes.run(LANES, left(), () => run(items, left()));
      },
    });
    const timer = setTimeout(() => {
      if (gathering.idle) this.kept.delete(key);
    }, KEEP_MS).unref();
    const kept = { gathering, timer };
    this.kept.set(key, kept);
    return kept;
  }
}

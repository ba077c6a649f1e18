/** The use of one limit by one key. */
export interface Usage {
  consumed: number;
  /** Milliseconds until the window ends. */
  msLeft: number;
}

interface Count {
  consumed: number;
  endsAt: number;
}

/** Keys per limit, about 200 bytes each. Beyond it the window that ends soonest is removed. */
const MAX_KEYS = 50_000;

/**
 * Counts in fixed windows in memory. All windows are equally long, so the map is ordered by their ends, and each new
 * key removes the windows that have ended.
 *
 * rate-limiter-flexible's memory limiter has a timer for each key instead, which would keep the async context of the
 * first request alive until the window ends.
 */
export class MemoryCounter {
  private readonly counts = new Map<string, Count>();

  constructor(
    private readonly windowMs: number,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  get size(): number {
    return this.counts.size;
  }

  get keys(): string[] {
    return [...this.counts.keys()];
  }

  /** Counts `points` more. */
  add(key: string, points = 1): Usage {
    const now = performance.now();
    let count = this.counts.get(key);
    if (!count || count.endsAt <= now) {
      count = { consumed: 0, endsAt: now + this.windowMs };
      this.counts.delete(key);
      this.removeEnded(now);
      this.counts.set(key, count);
    }
    count.consumed += points;
    return { consumed: count.consumed, msLeft: count.endsAt - now };
  }

  /** Counts `points` less, where the key has a window. */
  subtract(key: string, points: number): void {
    const count = this.counts.get(key);
    if (count) count.consumed = Math.max(0, count.consumed - points);
  }

  get(key: string): Usage | null {
    const now = performance.now();
    const count = this.counts.get(key);
    return count && count.endsAt > now ? { consumed: count.consumed, msLeft: count.endsAt - now } : null;
  }

  private removeEnded(now: number): void {
    for (const [key, { endsAt }] of this.counts) {
      if (endsAt > now && this.counts.size < this.maxKeys) return;
      this.counts.delete(key);
    }
  }
}

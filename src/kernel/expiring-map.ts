/** A value and the time at which it was set. */
export interface Entry<Value> {
  /** Milliseconds of the caller's clock. */
  at: number;
  value: Value;
}

/**
 * Bounded map whose entries expire after `windowMs`. Used to log an event once per window, or to show recent changes to
 * a late subscriber. A full map rejects new keys, so that made-up keys fill neither the memory nor the log; an LRU cache
 * would evict real ones for them.
 */
export class ExpiringMap<Value = true> {
  /** Oldest first. */
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(
    private readonly windowMs: number,
    private readonly maxEntries = 10_000,
  ) {}

  /** Returns the entry of a key. An expired entry may still be returned. */
  get(key: string): Entry<Value> | undefined {
    return this.entries.get(key);
  }

  /** Replaces the entry of a key. @returns false when the map is full */
  set(key: string, at: number, value: Value): boolean {
    this.entries.delete(key);
    for (const [oldKey, entry] of this.entries) {
      if (this.isCurrent(entry, at)) break;
      this.entries.delete(oldKey);
    }
    if (this.entries.size >= this.maxEntries) return false;
    this.entries.set(key, { at, value });
    return true;
  }

  /**
   * Adds a key.
   * @returns false when it is present or the map is full. A clock jump in either direction expires entries.
   */
  addIfAbsent(this: ExpiringMap, key: string, now: Date): boolean {
    const at = now.getTime();
    const last = this.get(key);
    return !(last && this.isCurrent(last, at)) && this.set(key, at, true);
  }

  private isCurrent({ at }: Entry<Value>, now: number): boolean {
    return Math.abs(now - at) < this.windowMs;
  }
}

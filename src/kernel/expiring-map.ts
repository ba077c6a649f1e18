/** What was last noted of a thing, and when, in the noter's own milliseconds. */
export interface Entry<Value> {
  at: number;
  value: Value;
}

/**
 * What has been noted within the last while: so that what repeats itself is noted once in it, or that one who comes late
 * learns what he has missed. Remembers so many things and no more: whoever makes up new ones fills neither the memory
 * nor whatever is written for each.
 */
export class ExpiringMap<Value = true> {
  /** Oldest first. */
  private readonly entries = new Map<string, Entry<Value>>();

  constructor(
    private readonly windowMs: number,
    private readonly maxEntries = 10_000,
  ) {}

  /** The last that was noted of it; at least as long as the while lasts. */
  get(what: string): Entry<Value> | undefined {
    return this.entries.get(what);
  }

  /** Notes it, in place of what was noted of it before. @returns false where too many things are remembered already */
  set(what: string, at: number, value: Value): boolean {
    this.entries.delete(what);
    for (const [old, noted] of this.entries) {
      if (this.isWithin(noted, at)) break;
      this.entries.delete(old);
    }
    if (this.entries.size >= this.maxEntries) return false;
    this.entries.set(what, { at, value });
    return true;
  }

  /** Whether it has not been noted within the while, and is from now on. A clock that jumps either way ends a while. */
  addIfAbsent(this: ExpiringMap, what: string, now: Date): boolean {
    const at = now.getTime();
    const last = this.get(what);
    return !(last && this.isWithin(last, at)) && this.set(what, at, true);
  }

  private isWithin({ at }: Entry<Value>, now: number): boolean {
    return Math.abs(now - at) < this.windowMs;
  }
}

/** What was last noted of a thing, and when, in the noter's own milliseconds. */
export interface Noted<Value> {
  at: number;
  value: Value;
}

/**
 * What has been noted within the last while: so that what repeats itself is noted once in it, or that one who comes late
 * learns what he has missed. Remembers so many things and no more: whoever makes up new ones fills neither the memory
 * nor whatever is written for each.
 */
export class Recently<Value = true> {
  /** Oldest first. */
  private readonly noted = new Map<string, Noted<Value>>();

  constructor(
    private readonly whileMs: number,
    private readonly most = 10_000,
  ) {}

  /** The last that was noted of it; at least as long as the while lasts. */
  of(what: string): Noted<Value> | undefined {
    return this.noted.get(what);
  }

  /** Notes it, in place of what was noted of it before. @returns false where too many things are remembered already */
  note(what: string, at: number, value: Value): boolean {
    this.noted.delete(what);
    for (const [old, noted] of this.noted) {
      if (this.isWithin(noted, at)) break;
      this.noted.delete(old);
    }
    if (this.noted.size >= this.most) return false;
    this.noted.set(what, { at, value });
    return true;
  }

  /** Whether it has not been noted within the while, and is from now on. A clock that jumps either way ends a while. */
  isNews(this: Recently, what: string, now: Date): boolean {
    const at = now.getTime();
    const last = this.of(what);
    return !(last && this.isWithin(last, at)) && this.note(what, at, true);
  }

  private isWithin({ at }: Noted<Value>, now: number): boolean {
    return Math.abs(now - at) < this.whileMs;
  }
}

/**
 * What has been noted within the last while, so that what repeats itself is noted once in it. Remembers so many things
 * and no more: whoever makes up new ones fills neither the memory nor whatever is written for each.
 */
export class Recently {
  /** When each was noted; oldest first. */
  private readonly noted = new Map<string, number>();

  constructor(
    private readonly whileMs: number,
    private readonly most = 10_000,
  ) {}

  /** Whether it has not been noted within the while, and is from now on. A clock that jumps either way ends a while. */
  isNews(what: string, now: Date): boolean {
    const time = now.getTime();
    const isRecent = (at: number | undefined) => at !== undefined && Math.abs(time - at) < this.whileMs;
    if (isRecent(this.noted.get(what))) return false;
    this.noted.delete(what);
    for (const [old, at] of this.noted) {
      if (isRecent(at)) break;
      this.noted.delete(old);
    }
    if (this.noted.size >= this.most) return false;
    this.noted.set(what, time);
    return true;
  }
}

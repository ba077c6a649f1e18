/** Lets `burst` things pass at once and `perSecond` in the long run, without a timer. */
export class TokenBucket {
  private tokens: number;
  private filledAt = performance.now();

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {
    this.tokens = burst;
  }

  /** Whether nothing was taken lately. */
  get isFull(): boolean {
    this.fill();
    return this.tokens === this.burst;
  }

  /** Takes so many tokens, or none. @returns false when there are fewer */
  take(count = 1): boolean {
    this.fill();
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }

  private fill(): void {
    const now = performance.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
  }
}

/** A success that takes longer does not raise the limit: slow endpoints would else occupy the connections of others. */
const QUICK_MS = 2_000;
const MAX = 10;
const FIRST = 4;

/** The number of concurrent attempts of a lane: 1 while the endpoint fails, doubling with quick successes. */
export class AdaptiveLimit {
  private limit: number;

  constructor(failing: boolean) {
    this.limit = failing ? 1 : FIRST;
  }

  get value(): number {
    return this.limit;
  }

  recordSuccess(latencyMs: number): void {
    if (latencyMs <= QUICK_MS) this.limit = Math.min(MAX, this.limit * 2);
    else this.limit = Math.max(1, Math.floor(this.limit / 2));
  }

  recordFailure(): void {
    this.limit = 1;
  }
}

import { Clock } from '../../src/kernel/clock.js';

/** The service's time, which a test moves instead of waiting. */
export class MovableClock extends Clock {
  private ahead = 0;

  now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  /** Seconds into the future. */
  advance(seconds: number): void {
    this.ahead += seconds * 1000;
  }

  reset(): void {
    this.ahead = 0;
  }
}

import { Clock } from '../../src/kernel/clock.js';

/** The service's clock. A test moves it instead of waiting. */
export class MovableClock extends Clock {
  private ahead = 0;

  now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  /** Moves the clock forward by this many seconds. */
  advance(seconds: number): void {
    this.ahead += seconds * 1000;
  }

  reset(): void {
    this.ahead = 0;
  }
}

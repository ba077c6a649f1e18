import { Clock } from '../../src/kernel/clock.js';

/** The service's clock. A test moves it instead of waiting. */
export class MovableClock extends Clock {
  private ahead = 0;

  now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  /** False while it shows the real time. */
  get isMoved(): boolean {
    return this.ahead !== 0;
  }

  /** Moves the clock forward by this many seconds. */
  advance(seconds: number): void {
    this.ahead += seconds * 1000;
  }

  reset(): void {
    this.ahead = 0;
  }
}

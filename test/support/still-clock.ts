import { MovableClock } from './clock.js';

/** A clock that a test can stop, to stand on the very edge of a time. */
export class StillClock extends MovableClock {
  private stopped: Date | null = null;

  override now(): Date {
    return this.stopped ?? super.now();
  }

  /** Stops at the time, which is the present one unless told. */
  stop(at: Date = this.now()): Date {
    this.stopped = at;
    return at;
  }

  override reset(): void {
    this.stopped = null;
    super.reset();
  }
}

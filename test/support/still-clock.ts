import { MovableClock } from './clock.js';

/** A clock that a test can stop, to check the exact boundary of a period. */
export class StillClock extends MovableClock {
  private stopped: Date | null = null;

  override get isMoved(): boolean {
    return this.stopped !== null || super.isMoved;
  }

  override now(): Date {
    return this.stopped ?? super.now();
  }

  /** Stops the clock at this time (default: now). */
  stop(at: Date = this.now()): Date {
    this.stopped = at;
    return at;
  }

  override reset(): void {
    this.stopped = null;
    super.reset();
  }
}

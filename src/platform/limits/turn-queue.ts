import { RateLimited } from '../../kernel/errors.js';
import { presentCallerHasGone } from '../http/present-request.js';

/** Whoever finds no place may ask again after so many seconds. */
const AGAIN_SECONDS = 5;

interface Waiter {
  enter(): void;
  leave(): void;
  hasGone(): boolean;
}

/**
 * Dear work, done one at a time by arrival. Whoever hangs up while waiting takes no place and is passed over: nobody
 * would hear what comes of it, and after a flood of such the others would wait for nothing.
 */
export class TurnQueue {
  private busy = false;
  private waiting: Waiter[] = [];

  /** @param places for those who wait */
  constructor(private readonly places: number) {}

  /** Does the work when its turn comes. @throws RateLimited when no place is free, or the caller is passed over */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy) await this.turn();
    this.busy = true;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  /** @throws RateLimited when no place is free */
  assertRoom(): void {
    if (this.waiting.length >= this.places) this.passOverTheGone();
    if (this.waiting.length >= this.places) throw full();
  }

  private turn(): Promise<void> {
    this.assertRoom();
    const hasGone = presentCallerHasGone();
    return new Promise((enter, reject) => {
      this.waiting.push({ enter, leave: () => reject(full()), hasGone });
    });
  }

  private next(): void {
    this.passOverTheGone();
    const waiter = this.waiting.shift();
    if (waiter) waiter.enter();
    else this.busy = false;
  }

  private passOverTheGone(): void {
    const there: Waiter[] = [];
    for (const waiter of this.waiting) {
      if (waiter.hasGone()) waiter.leave();
      else there.push(waiter);
    }
    this.waiting = there;
  }
}

function full(): Error {
  return new RateLimited({ retryAfter: AGAIN_SECONDS });
}

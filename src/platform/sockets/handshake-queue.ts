import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { DomainError } from '../../kernel/domain-error.js';
import { Unavailable } from '../../kernel/errors.js';

/** So many wait at most, and so long: less than clients wait for a handshake before they give up and come again. */
const WAITING = { most: 5_000, ms: 5_000 } as const;
/** Who is sent away comes back some time within it: those who came together must not come back together. */
const AGAIN_SECONDS = 5;

interface Waiter {
  enter(): void;
  leave(): void;
}

/**
 * Paces handshakes. Each asks the database several things, and whoever resumes has the log read; after a restart all
 * clients come at once, and without a queue those who send messages would stand in line behind thousands of them.
 */
@Injectable()
export class HandshakeQueue {
  private underWay = 0;
  /** By arrival. */
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly config: Config) {}

  /** Does the work of one handshake when its turn comes. @throws Unavailable when too many wait, or for too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay < this.config.socketHandshakesAtOnce) this.underWay += 1;
    else await this.turn();
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  /** Whoever ends hands its place on to the one who has waited longest. */
  private next(): void {
    const [waiter] = this.waiting;
    if (waiter) waiter.enter();
    else this.underWay -= 1;
  }

  private turn(): Promise<void> {
    if (this.waiting.size >= WAITING.most) throw full();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
      };
      const waiter = {
        enter: () => {
          done();
          resolve();
        },
        leave: () => {
          done();
          reject(full());
        },
      };
      const timer = setTimeout(waiter.leave, WAITING.ms).unref();
      this.waiting.add(waiter);
    });
  }
}

function full(): DomainError {
  return new Unavailable({ retryAfter: 1 + Math.floor(Math.random() * AGAIN_SECONDS) });
}

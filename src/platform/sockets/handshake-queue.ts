import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { DomainError } from '../../kernel/domain-error.js';
import { Unavailable } from '../../kernel/errors.js';

/** So many wait at most, and so long: less than clients wait for a handshake before they give up and come again. */
const WAITING = { most: 5_000, ms: 5_000 } as const;
/** Who is sent away comes back some time within it: those who came together must not come back together. */
const AGAIN_SECONDS = 5;

/** Whoever is not through by then holds up the next no longer. */
const MAX_WAIT_MS = 100;

/** Those who were let in together. */
interface Group {
  /** So many are not through. */
  left: number;
}

interface Waiter {
  enter(group: Group): void;
  leave(): void;
}

/**
 * Paces handshakes. Each asks the database several things, and whoever resumes has the log read; after a restart all
 * clients come at once, and without a queue those who send messages would stand in line behind thousands of them.
 *
 * Those who wait are let in as a group, when the one before is through: so they keep in step, and what all of them ask is
 * asked in one statement (`BatchLoader`) instead of one each.
 */
@Injectable()
export class HandshakeQueue {
  private underWay = 0;
  /** By arrival. */
  private readonly waiting = new Set<Waiter>();
  private group: Group = { left: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly config: Config) {}

  /** Does the work of one handshake when its turn comes. @throws Unavailable when too many wait, or for too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const group = this.waiting.size === 0 && this.hasRoom ? this.enter() : await this.waitForTurn();
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      group.left -= 1;
      this.next();
    }
  }

  private get hasRoom(): boolean {
    return this.underWay < this.config.socketHandshakesAtOnce;
  }

  private enter(): Group {
    this.underWay += 1;
    this.group.left += 1;
    return this.group;
  }

  private next(): void {
    if (this.group.left === 0) this.letIn();
    else if (this.waiting.size > 0) this.timer ??= setTimeout(() => this.letIn(), MAX_WAIT_MS).unref();
  }

  private letIn(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.group = { left: 0 };
    for (const waiter of this.waiting) {
      if (!this.hasRoom) return;
      waiter.enter(this.enter());
    }
  }

  private waitForTurn(): Promise<Group> {
    if (this.waiting.size >= WAITING.most) throw full();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
      };
      const waiter = {
        enter: (group: Group) => {
          done();
          resolve(group);
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

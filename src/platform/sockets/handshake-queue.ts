import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { DomainError } from '../../kernel/domain-error.js';
import { Unavailable } from '../../kernel/errors.js';

/** Bounds of the queue. `ms` is shorter than clients wait for a handshake before they retry. */
const WAITING = { max: 5_000, ms: 5_000 } as const;
/** Upper bound of `Retry-After`, which is random so that clients refused together do not return together. */
const RETRY_SECONDS = 5;

/** A group that has not finished after this time no longer delays the next one. */
const GROUP_MAX_MS = 100;

/** Handshakes that were admitted together. */
interface Group {
  /** The number of its handshakes that have not finished. */
  unfinished: number;
}

interface Waiter {
  admit(group: Group): void;
  reject(): void;
}

/**
 * Limits concurrent handshakes. Each one runs several database queries, and a resuming client also reads the event log.
 * After a restart all clients reconnect at once; without the queue, messages would wait behind thousands of handshakes.
 *
 * Waiting handshakes are admitted as a group once the previous group has finished. They then run in step, so that
 * `BatchLoader` combines their queries into one statement; queue libraries admit one piece of work for each that ends.
 */
@Injectable()
export class HandshakeQueue {
  private underWay = 0;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiter>();
  private group: Group = { unfinished: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly config: Config) {}

  /** Runs one handshake when its turn comes. @throws Unavailable when too many wait, or it has waited for too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const group = this.waiting.size === 0 && this.hasCapacity ? this.begin() : await this.waitForTurn();
    try {
      return await work();
    } finally {
      this.underWay -= 1;
      group.unfinished -= 1;
      this.next();
    }
  }

  private get hasCapacity(): boolean {
    return this.underWay < this.config.socketHandshakesAtOnce;
  }

  private begin(): Group {
    this.underWay += 1;
    this.group.unfinished += 1;
    return this.group;
  }

  private next(): void {
    if (this.group.unfinished === 0) this.admitNextGroup();
    else if (this.waiting.size > 0) this.timer ??= setTimeout(() => this.admitNextGroup(), GROUP_MAX_MS).unref();
  }

  private admitNextGroup(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.group = { unfinished: 0 };
    for (const waiter of this.waiting) {
      if (!this.hasCapacity) return;
      waiter.admit(this.begin());
    }
  }

  private waitForTurn(): Promise<Group> {
    if (this.waiting.size >= WAITING.max) throw queueFull();
    return new Promise((resolve, reject) => {
      const remove = (): void => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
      };
      const waiter = {
        admit: (group: Group) => {
          remove();
          resolve(group);
        },
        reject: () => {
          remove();
          reject(queueFull());
        },
      };
      const timer = setTimeout(waiter.reject, WAITING.ms).unref();
      this.waiting.add(waiter);
    });
  }
}

function queueFull(): DomainError {
  return new Unavailable({ retryAfter: 1 + Math.floor(Math.random() * RETRY_SECONDS) });
}

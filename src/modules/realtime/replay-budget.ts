import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';

/** Pages of events that may be in memory at once on this instance, each of 256 KiB or a single event. */
const PAGES = 32;
/** Of these, for the sockets of one workspace. */
const PAGES_PER_WORKSPACE = 8;
/** How much longer a socket waits for a page than one that does not read may keep it. */
const MAX_WAIT_MS = 2_000;

interface Waiter {
  enter(): void;
}

/**
 * Bounds what is kept in memory for sockets that resume: a page that has been read from the log counts until its client
 * has read it. A free page goes to the workspace that has the fewest, so that clients of one that do not read delay
 * those of another by little.
 */
@Injectable()
export class ReplayBudget {
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly waitMs: number;
  /** How many pages are taken. */
  total = 0;

  constructor({ socketStallMs }: Config) {
    this.waitMs = socketStallMs + MAX_WAIT_MS;
  }

  /** @returns whether a page was free; then `release` gives it back */
  tryTake(workspaceId: string): boolean {
    const own = this.taken.get(workspaceId) ?? 0;
    if (this.total >= PAGES || own >= PAGES_PER_WORKSPACE) return false;
    this.total += 1;
    this.taken.set(workspaceId, own + 1);
    return true;
  }

  /** Waits for a page. @returns false when none became free in time */
  take(workspaceId: string): Promise<boolean> {
    if (this.tryTake(workspaceId)) return Promise.resolve(true);
    return new Promise(resolve => {
      const waiters = this.waiting.get(workspaceId) ?? new Set<Waiter>();
      this.waiting.set(workspaceId, waiters);
      const leave = (isTaken: boolean): void => {
        clearTimeout(timer);
        waiters.delete(waiter);
        if (waiters.size === 0) this.waiting.delete(workspaceId);
        resolve(isTaken);
      };
      const waiter = { enter: () => leave(true) };
      const timer = setTimeout(leave, this.waitMs, false).unref();
      waiters.add(waiter);
    });
  }

  release(workspaceId: string): void {
    const own = (this.taken.get(workspaceId) ?? 1) - 1;
    if (own > 0) this.taken.set(workspaceId, own);
    else this.taken.delete(workspaceId);
    this.total -= 1;
    this.admitNext();
  }

  private admitNext(): void {
    const byPages = [...this.waiting.keys()].sort((a, b) => (this.taken.get(a) ?? 0) - (this.taken.get(b) ?? 0));
    for (const workspaceId of byPages) {
      const [first] = this.waiting.get(workspaceId) ?? [];
      if (!first || !this.tryTake(workspaceId)) continue;
      return first.enter();
    }
  }
}

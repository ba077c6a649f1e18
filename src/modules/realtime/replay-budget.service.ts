import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';

/** Pages of events in memory at once on this instance. A page is about 256 KiB or a single event. */
const MAX_PAGES = 32;
/** The share of one workspace. */
const MAX_PAGES_PER_WORKSPACE = 8;
/** Milliseconds to wait for a page beyond the time after which a stalled reader is closed. */
const EXTRA_WAIT_MS = 2_000;

interface Waiter {
  grant(): void;
}

/**
 * Bounds the memory for resuming sockets. A page read from the log counts until its client has read it.
 *
 * A free page goes to the workspace with the fewest, so that slow clients of one workspace hardly delay those of
 * another. No semaphore library shares by key and ends a wait.
 */
@Injectable()
export class ReplayBudgetService {
  /** Pages in use, by workspace. */
  private readonly inUse = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly waitMs: number;
  /** Pages in use by all workspaces. */
  total = 0;

  constructor({ socketStallMs }: Config) {
    this.waitMs = socketStallMs + EXTRA_WAIT_MS;
  }

  /** Takes a page if one is free; `release` returns it. @returns false when none is free */
  tryAcquire(workspaceId: string): boolean {
    const pages = this.inUse.get(workspaceId) ?? 0;
    if (this.total >= MAX_PAGES || pages >= MAX_PAGES_PER_WORKSPACE) return false;
    this.total += 1;
    this.inUse.set(workspaceId, pages + 1);
    return true;
  }

  /** Waits for a free page and takes it. @returns false when none became free in time */
  acquire(workspaceId: string): Promise<boolean> {
    if (this.tryAcquire(workspaceId)) return Promise.resolve(true);
    return new Promise(resolve => {
      const waiters = this.waiting.get(workspaceId) ?? new Set<Waiter>();
      this.waiting.set(workspaceId, waiters);
      const finish = (isGranted: boolean): void => {
        clearTimeout(timer);
        waiters.delete(waiter);
        if (waiters.size === 0) this.waiting.delete(workspaceId);
        resolve(isGranted);
      };
      const waiter = { grant: () => finish(true) };
      const timer = setTimeout(finish, this.waitMs, false).unref();
      waiters.add(waiter);
    });
  }

  release(workspaceId: string): void {
    const pages = (this.inUse.get(workspaceId) ?? 1) - 1;
    if (pages > 0) this.inUse.set(workspaceId, pages);
    else this.inUse.delete(workspaceId);
    this.total -= 1;
    this.admitNext();
  }

  private admitNext(): void {
    const byPages = [...this.waiting.keys()].sort((a, b) => (this.inUse.get(a) ?? 0) - (this.inUse.get(b) ?? 0));
    for (const workspaceId of byPages) {
      const [first] = this.waiting.get(workspaceId) ?? [];
      if (!first || !this.tryAcquire(workspaceId)) continue;
      return first.grant();
    }
  }
}

import type { OutboundLimitsPolicy } from './outbound-limits.policy.js';

/** The two groups whose concurrent requests are limited. */
export interface SlotShare {
  workspaceId: string;
  origin: string;
}

interface Waiter extends SlotShare {
  start(): void;
}

type Limits = Pick<OutboundLimitsPolicy, 'perHost' | 'perWorkspace' | 'perInstance'>;

/**
 * Limits concurrent requests per host, per workspace and in all. A workspace may use at most a quarter of the free
 * slots, so that a few workspaces with slow hosts cannot take all of them. Waiting workspaces take turns, and so do the
 * hosts of a workspace.
 */
export class RequestSlots {
  private readonly hosts = new Map<string, number>();
  private readonly workspaces = new Map<string, number>();
  /** Waiters by workspace and host, in the order of their turns. */
  private readonly waiting = new Map<string, Map<string, Set<Waiter>>>();
  private used = 0;
  private waiters = 0;

  constructor(private readonly limits: Limits) {}

  get usedCount(): number {
    return this.used;
  }

  get waitingCount(): number {
    return this.waiters;
  }

  /**
   * Waits for a slot.
   * @returns a function that frees the slot; further calls of it do nothing
   * @throws the signal's reason when it aborts first
   */
  async acquire(share: SlotShare, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.hasRoom(share)) this.use(share);
    else await this.wait(share, signal);
    let freed = false;
    return () => {
      if (!freed) this.free(share);
      freed = true;
    };
  }

  private hasRoom({ workspaceId, origin }: SlotShare): boolean {
    return this.workspaceHasRoom(workspaceId) && this.hostHasRoom(origin);
  }

  private workspaceHasRoom(workspaceId: string): boolean {
    const share = Math.ceil((this.limits.perInstance - this.used) / 4);
    return (this.workspaces.get(workspaceId) ?? 0) < Math.min(this.limits.perWorkspace, share);
  }

  private hostHasRoom(origin: string): boolean {
    return (this.hosts.get(origin) ?? 0) < this.limits.perHost;
  }

  private use({ workspaceId, origin }: SlotShare): void {
    this.used += 1;
    add(this.workspaces, workspaceId, 1);
    add(this.hosts, origin, 1);
  }

  private free({ workspaceId, origin }: SlotShare): void {
    this.used -= 1;
    add(this.workspaces, workspaceId, -1);
    add(this.hosts, origin, -1);
    for (let next = this.next(); next; next = this.next()) {
      this.remove(next);
      this.endTurn(next);
      this.use(next);
      next.start();
    }
  }

  private wait(share: SlotShare, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.remove(waiter);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const waiter = { ...share, start };
      signal.addEventListener('abort', cancel, { once: true });
      this.append(waiter);
    });
  }

  /** @returns the waiter whose turn it is among those that may start now */
  private next(): Waiter | undefined {
    for (const [workspaceId, hosts] of this.waiting) {
      if (!this.workspaceHasRoom(workspaceId)) continue;
      for (const [origin, [first]] of hosts) if (first && this.hostHasRoom(origin)) return first;
    }
    return undefined;
  }

  private append(waiter: Waiter): void {
    const hosts = this.waiting.get(waiter.workspaceId) ?? new Map<string, Set<Waiter>>();
    const waiters = hosts.get(waiter.origin) ?? new Set();
    this.waiting.set(waiter.workspaceId, hosts.set(waiter.origin, waiters.add(waiter)));
    this.waiters += 1;
  }

  private remove(waiter: Waiter): void {
    const hosts = this.waiting.get(waiter.workspaceId);
    const waiters = hosts?.get(waiter.origin);
    if (!hosts || !waiters?.delete(waiter)) return;
    this.waiters -= 1;
    if (waiters.size === 0) hosts.delete(waiter.origin);
    if (hosts.size === 0) this.waiting.delete(waiter.workspaceId);
  }

  /** Moves a workspace that was served, and the host, behind the others. */
  private endTurn({ workspaceId, origin }: SlotShare): void {
    const hosts = this.waiting.get(workspaceId);
    const waiters = hosts?.get(origin);
    if (hosts && waiters) moveToEnd(hosts, origin, waiters);
    if (hosts) moveToEnd(this.waiting, workspaceId, hosts);
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

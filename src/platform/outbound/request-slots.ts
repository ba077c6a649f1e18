import type { OutboundLimitsPolicy } from './outbound-limits.policy.js';

/** The groups whose concurrent requests are limited. */
export interface SlotShare {
  workspaceId: string;
  origin: string;
  /** True if the requests before it failed. */
  isFailing?: boolean | undefined;
}

interface Waiter extends SlotShare {
  start(): void;
}

type Limits = Pick<OutboundLimitsPolicy, 'perHost' | 'perWorkspace' | 'perInstance'>;

/**
 * Limits concurrent requests per host, per workspace and in all. A workspace may use at most a quarter of the free
 * slots, so that a few workspaces with slow hosts cannot take all of them. Requests that are likely to fail may use half
 * of a host's slots, because many customers' endpoints are at one host, and dead ones must not hold up the others.
 * Waiting workspaces take turns, and so do the hosts of a workspace.
 */
export class RequestSlots {
  private readonly hosts = new Map<string, number>();
  private readonly failing = new Map<string, number>();
  private readonly workspaces = new Map<string, number>();
  /** Waiters by workspace and group of a host, in the order of their turns. */
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

  private hasRoom(share: SlotShare): boolean {
    return this.workspaceHasRoom(share.workspaceId) && this.hostHasRoom(share);
  }

  private workspaceHasRoom(workspaceId: string): boolean {
    const share = Math.ceil((this.limits.perInstance - this.used) / 4);
    return (this.workspaces.get(workspaceId) ?? 0) < Math.min(this.limits.perWorkspace, share);
  }

  private hostHasRoom({ origin, isFailing = false }: SlotShare): boolean {
    const { perHost } = this.limits;
    if ((this.hosts.get(origin) ?? 0) >= perHost) return false;
    return !isFailing || (this.failing.get(origin) ?? 0) < Math.ceil(perHost / 2);
  }

  private use(share: SlotShare): void {
    this.count(share, 1);
  }

  private free(share: SlotShare): void {
    this.count(share, -1);
    for (let next = this.next(); next; next = this.next()) {
      this.remove(next);
      this.endTurn(next);
      this.use(next);
      next.start();
    }
  }

  private count({ workspaceId, origin, isFailing }: SlotShare, change: 1 | -1): void {
    this.used += change;
    add(this.workspaces, workspaceId, change);
    add(this.hosts, origin, change);
    if (isFailing) add(this.failing, origin, change);
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
    for (const [workspaceId, groups] of this.waiting) {
      if (!this.workspaceHasRoom(workspaceId)) continue;
      for (const [first] of groups.values()) if (first && this.hostHasRoom(first)) return first;
    }
    return undefined;
  }

  private append(waiter: Waiter): void {
    const groups = this.waiting.get(waiter.workspaceId) ?? new Map<string, Set<Waiter>>();
    const group = groupOf(waiter);
    const waiters = groups.get(group) ?? new Set();
    this.waiting.set(waiter.workspaceId, groups.set(group, waiters.add(waiter)));
    this.waiters += 1;
  }

  private remove(waiter: Waiter): void {
    const groups = this.waiting.get(waiter.workspaceId);
    const group = groupOf(waiter);
    const waiters = groups?.get(group);
    if (!groups || !waiters?.delete(waiter)) return;
    this.waiters -= 1;
    if (waiters.size === 0) groups.delete(group);
    if (groups.size === 0) this.waiting.delete(waiter.workspaceId);
  }

  /** Moves a workspace that was served, and the host, behind the others. */
  private endTurn(share: SlotShare): void {
    const { workspaceId } = share;
    const groups = this.waiting.get(workspaceId);
    const waiters = groups?.get(groupOf(share));
    if (groups && waiters) moveToEnd(groups, groupOf(share), waiters);
    if (groups) moveToEnd(this.waiting, workspaceId, groups);
  }
}

/** Failing requests wait apart, so that those of the same host that may start need not wait behind them. */
function groupOf({ origin, isFailing = false }: SlotShare): string {
  return isFailing ? `${origin} failing` : origin;
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

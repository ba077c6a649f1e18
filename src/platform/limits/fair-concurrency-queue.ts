import { RateLimited } from '../../kernel/errors.js';
import { createDisconnectCheck } from '../request/current-request.js';

/** `Retry-After` of a caller that was refused, in seconds. */
const RETRY_SECONDS = 5;

/** The two groups that one piece of work belongs to. The queue is fair among networks and among principals. */
export interface Share {
  network: string;
  /** The e-mail, API key or token on whose behalf the work is done. */
  principal: string;
}

interface Waiter extends Share {
  start(): void;
  reject(): void;
  hasDisconnected(): boolean;
  /** The number of the turn in which its network, or its principal, was last served while it waited. */
  networkTurn: number;
  principalTurn: number;
}

/**
 * Runs expensive work one piece at a time. The next turn goes to the waiter whose network and principal were served
 * longest ago, so one account, or one network with many accounts, delays another network by about one turn.
 *
 * When the queue is full, a new caller displaces the last waiter of the largest group. If that group is its own, the
 * caller is refused: a flood displaces itself, while an office behind one address may use the whole queue when no other
 * network needs it. Callers that have disconnected are removed. No queue library shares its turns by two groups.
 */
export class FairConcurrencyQueue {
  private busy = false;
  private turn = 0;
  private last: Share | undefined;
  private waiting: Waiter[] = [];

  /** @param maxWaiting waiters at most, besides the one that runs */
  constructor(private readonly maxWaiting: number) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** @throws RateLimited when the queue is full, or the caller was displaced or has disconnected */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    if (this.busy) await this.wait(share);
    else this.serve(share);
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  /** @throws RateLimited when `run` would refuse a caller of this share now */
  assertRoom({ network, principal }: Share): void {
    if (this.waiting.length >= this.maxWaiting) this.dropDisconnected();
    const newcomer = { network, principal };
    if (this.waiting.length >= this.maxWaiting && this.heaviestWith(newcomer) === newcomer) throw queueFull();
  }

  private wait({ network, principal }: Share): Promise<void> {
    const hasDisconnected = createDisconnectCheck();
    return new Promise((start, fail) => {
      const reject = (): void => fail(queueFull());
      const networkTurn = this.initialTurn(network === this.last?.network);
      const principalTurn = this.initialTurn(principal === this.last?.principal);
      this.waiting.push({ network, principal, start, reject, hasDisconnected, networkTurn, principalTurn });
      if (this.waiting.length > this.maxWaiting) this.dropDisconnected();
      if (this.waiting.length > this.maxWaiting) this.displace();
    });
  }

  /** Counts a new waiter as served one turn ago, so that older waiters do not starve behind ever new ones. */
  private initialTurn(isServed: boolean): number {
    return isServed ? this.turn : this.turn - 1;
  }

  private displace(): void {
    const heaviest = this.heaviestWith();
    this.waiting = this.waiting.filter(waiter => waiter !== heaviest);
    (heaviest as Waiter | undefined)?.reject();
  }

  /** @returns the waiter in the largest group, or the newcomer if it is; among equals the latest */
  private heaviestWith(newcomer?: Share): Share | undefined {
    const all: Share[] = newcomer ? [...this.waiting, newcomer] : this.waiting;
    const networks = countBy(all, ({ network }) => network);
    const principals = countBy(all, ({ principal }) => principal);
    const weight = ({ network, principal }: Share) => [networks.get(network) ?? 0, principals.get(principal) ?? 0];
    let heaviest = all[0];
    for (const one of all) if (heaviest && compare(weight(one), weight(heaviest)) >= 0) heaviest = one;
    return heaviest;
  }

  private next(): void {
    this.dropDisconnected();
    const [first, ...others] = this.waiting;
    if (!first) {
      this.busy = false;
      return;
    }
    const turns = ({ networkTurn, principalTurn }: Waiter) => [networkTurn, principalTurn];
    const next = others.reduce((best, one) => (compare(turns(one), turns(best)) < 0 ? one : best), first);
    this.waiting = this.waiting.filter(waiter => waiter !== next);
    this.serve(next);
    next.start();
  }

  private serve({ network, principal }: Share): void {
    this.busy = true;
    this.turn += 1;
    this.last = { network, principal };
    for (const waiter of this.waiting) {
      if (waiter.network === network) waiter.networkTurn = this.turn;
      if (waiter.principal === principal) waiter.principalTurn = this.turn;
    }
  }

  private dropDisconnected(): void {
    const disconnected = this.waiting.filter(waiter => waiter.hasDisconnected());
    if (disconnected.length === 0) return;
    this.waiting = this.waiting.filter(waiter => !disconnected.includes(waiter));
    for (const waiter of disconnected) waiter.reject();
  }
}

/**
 * Compares the greater numbers first, then the lesser, so that principals of one network take turns, and vice versa.
 */
function compare(a: number[], b: number[]): number {
  return Math.max(...a) - Math.max(...b) || Math.min(...a) - Math.min(...b);
}

function countBy(shares: readonly Share[], key: (share: Share) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const share of shares) counts.set(key(share), (counts.get(key(share)) ?? 0) + 1);
  return counts;
}

function queueFull(): Error {
  return new RateLimited({ retryAfter: RETRY_SECONDS });
}

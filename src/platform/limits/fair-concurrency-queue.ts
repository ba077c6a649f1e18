import { RateLimited } from '../../kernel/errors.js';
import { presentCallerHasGone } from '../http/present-request.js';

/** Seconds after which a caller that found no place may try again. */
const RETRY_SECONDS = 5;

/** Two ways in which work is grouped; each group gets a fair share. */
export interface Share {
  network: string;
  /** The e-mail, API key or token on whose behalf the work is done. */
  principal: string;
}

interface Waiter extends Share {
  enter(): void;
  leave(): void;
  hasGone(): boolean;
  /** The turn in which its network, and its principal, were last served while it waited. */
  networkTurn: number;
  principalTurn: number;
}

/**
 * Runs expensive work one piece at a time. The next turn goes to the waiter whose network and principal were served
 * longest ago, so one account, or one network with many accounts, delays another network by about one turn.
 *
 * When all places are taken, a newcomer displaces the last waiter of the largest group, unless that is its own: a flood
 * displaces itself, while an office behind one address may use every place that nobody else wants. Callers that have
 * disconnected are dropped.
 */
export class FairConcurrencyQueue {
  private busy = false;
  private turn = 0;
  private last: Share | undefined;
  private waiting: Waiter[] = [];

  /** @param maxWaiting for those who wait */
  constructor(private readonly maxWaiting: number) {}

  /** @throws RateLimited when no place is free, or the caller is displaced or has disconnected */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    if (this.busy) await this.wait(share);
    else this.serve(share);
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  /** @throws RateLimited when a newcomer of this share would find no place */
  assertRoom({ network, principal }: Share): void {
    if (this.waiting.length >= this.maxWaiting) this.dropDisconnected();
    const newcomer = { network, principal };
    if (this.waiting.length >= this.maxWaiting && this.heaviestWith(newcomer) === newcomer) throw full();
  }

  private wait({ network, principal }: Share): Promise<void> {
    const hasGone = presentCallerHasGone();
    return new Promise((enter, reject) => {
      const leave = (): void => reject(full());
      const networkTurn = this.turnOf(network === this.last?.network);
      const principalTurn = this.turnOf(principal === this.last?.principal);
      this.waiting.push({ network, principal, enter, leave, hasGone, networkTurn, principalTurn });
      if (this.waiting.length > this.maxWaiting) this.dropDisconnected();
      if (this.waiting.length > this.maxWaiting) this.displace();
    });
  }

  /** A newcomer is as if it had been served a turn ago: an older waiter does not starve behind ever new ones. */
  private turnOf(isServed: boolean): number {
    return isServed ? this.turn : this.turn - 1;
  }

  private displace(): void {
    const heaviest = this.heaviestWith();
    this.waiting = this.waiting.filter(waiter => waiter !== heaviest);
    (heaviest as Waiter | undefined)?.leave();
  }

  /** The one whose group is the largest; of equals the one that came last. */
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
    next.enter();
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
    const gone = this.waiting.filter(waiter => waiter.hasGone());
    if (gone.length === 0) return;
    this.waiting = this.waiting.filter(waiter => !gone.includes(waiter));
    for (const waiter of gone) waiter.leave();
  }
}

/** By the greater of the two first, then by the lesser: within one network principals take turns, and the other way round. */
function compare(a: number[], b: number[]): number {
  return Math.max(...a) - Math.max(...b) || Math.min(...a) - Math.min(...b);
}

function countBy(shares: readonly Share[], key: (share: Share) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const share of shares) counts.set(key(share), (counts.get(key(share)) ?? 0) + 1);
  return counts;
}

function full(): Error {
  return new RateLimited({ retryAfter: RETRY_SECONDS });
}

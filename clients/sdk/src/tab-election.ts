import type { Locks } from './web-locks.js';

export interface ElectionEvents {
  elected(): void;
  /** Another tab has taken the lock. */
  deposed(): void;
}

/**
 * Elects one leader among the tabs of a browser: the owner of a Web Lock. The browser passes the lock on when the
 * leader's tab ends, however it ends.
 */
export class TabElection {
  private round = 0;
  private waiting: AbortController | undefined;
  private release: (() => void) | undefined;

  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly events: ElectionEvents,
  ) {}

  /** Waits for the lock, or takes it from its owner. Replaces an earlier request of this tab. */
  stand(steal = false): void {
    const round = ++this.round;
    this.waiting?.abort();
    this.waiting = new AbortController();
    let led = false;
    const lead = (): Promise<void> =>
      new Promise(release => {
        if (round !== this.round) return release();
        led = true;
        this.release = release;
        this.events.elected();
      });
    const options = steal ? { steal } : { signal: this.waiting.signal };
    this.locks.request(this.name, options, lead).catch(() => {
      if (round !== this.round) return;
      // A page that may not use locks leads itself alone.
      if (led) this.events.deposed();
      else this.events.elected();
    });
  }

  /** Leaves the election for good. */
  leave(): void {
    this.round += 1;
    this.waiting?.abort();
    this.release?.();
  }
}

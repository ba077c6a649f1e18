import { LANES } from './delivery.js';
import type { LaneName } from './delivery.js';
import type { LaneOptions } from './delivery-lane.js';
import { DeliveryLane } from './delivery-lane.js';
import type { LeasedWebhook } from './leases.repository.js';
import { LEASE_MS } from './leases.repository.js';

/** An attempt may take so long; it must end within the lease, or another instance could overtake it. */
const ATTEMPT_MS = 16_000;
const RENEW_MS = LEASE_MS / 3;
/** Other instances queue deliveries without telling this one. */
const POLL_MS = 500;

export interface RunOptions {
  /** Finds further deliveries of a lane. */
  find(lane: LaneName, ...args: Parameters<LaneOptions['find']>): ReturnType<LaneOptions['find']>;
  attempt(delivery: Parameters<LaneOptions['attempt']>[0], signal: AbortSignal): ReturnType<LaneOptions['attempt']>;
  renew(): Promise<boolean>;
}

/** Delivers to one webhook while this instance has its lease. */
export class EndpointRun {
  private readonly stopping = new AbortController();
  private readonly lanes: readonly DeliveryLane[];
  private fault: Error | undefined;
  private draining = false;
  private wakeUp: () => void = () => undefined;
  private woken = false;
  /** True when deliveries may have been queued since the last look. */
  private anew = true;

  constructor(
    readonly webhook: LeasedWebhook,
    private readonly options: RunOptions,
  ) {
    this.lanes = LANES.map(
      name =>
        new DeliveryLane({
          ordered: name !== 'retry',
          failing: webhook.failing,
          find: (...args) => options.find(name, ...args),
          attempt: delivery => options.attempt(delivery, this.stopping.signal),
          mayBegin: () => this.mayBegin,
          onEnd: fault => this.resume(fault),
        }),
    );
  }

  /** Looks for further deliveries now. */
  wake(): void {
    this.anew = true;
    this.resume();
  }

  /** Begins no further attempt. */
  drain(): void {
    this.draining = true;
    this.resume();
  }

  /** Cancels the attempts that are under way. */
  abort(): void {
    this.drain();
    this.stopping.abort();
  }

  /**
   * Delivers until nothing is due, or the lease or the run has ended.
   * @returns true while the lease holds, so that it can be released
   * @throws the error of a statement; the attempts under way are then cancelled
   */
  async run(): Promise<boolean> {
    try {
      for (;;) {
        this.woken = false;
        if (!this.draining) await this.step();
        if (this.fault) throw this.fault;
        if (this.isIdle) return true;
        if (!this.isLeased) return false;
        await this.pause();
      }
    } finally {
      this.abort();
    }
  }

  private get isIdle(): boolean {
    return this.draining ? this.lanes.every(lane => !lane.busy) : this.lanes.every(lane => lane.idle);
  }

  private get isLeased(): boolean {
    return performance.now() < this.webhook.leaseEndsAt;
  }

  private get mayBegin(): boolean {
    return !this.draining && !this.fault && performance.now() + ATTEMPT_MS < this.webhook.leaseEndsAt;
  }

  private async step(): Promise<void> {
    const isOld = this.webhook.leaseEndsAt - performance.now() < LEASE_MS - RENEW_MS;
    if (isOld && !(await this.options.renew())) this.webhook.leaseEndsAt = 0;
    const { anew } = this;
    this.anew = false;
    if (this.isLeased) await Promise.all(this.lanes.map(lane => lane.fill(anew)));
  }

  /** @param fault of an attempt; it ends the run */
  private resume(fault?: Error): void {
    this.fault ??= fault;
    this.woken = true;
    this.wakeUp();
  }

  private async pause(): Promise<void> {
    if (this.woken) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>(resolve => {
      this.wakeUp = resolve;
      timer = setTimeout(() => this.wake(), POLL_MS);
    });
    clearTimeout(timer);
  }
}

import { AdaptiveLimit } from './adaptive-limit.js';
import type { AttemptOutcome } from './attempts.service.js';
import type { PendingDelivery } from './pending-deliveries.repository.js';

/** Deliveries in memory, without their content. One conversation with more waiting delays others. */
const MAX_QUEUED = 2_000;
const PAGE = 200;

export interface LaneOptions {
  /** True if deliveries of one conversation follow each other. */
  ordered: boolean;
  failing: boolean;
  /** Finds further deliveries after those that were found. @param underWay ids of those that have not ended */
  find(after: string, underWay: readonly string[], limit: number): Promise<PendingDelivery[]>;
  attempt(delivery: PendingDelivery): Promise<AttemptOutcome>;
  /** False once no attempt may begin any more. */
  mayBegin(): boolean;
  /** Runs when an attempt has ended or thrown. */
  onEnd(fault?: Error): void;
}

/** Makes the attempts of one webhook and one kind, several at a time, in order where that is asked for. */
export class DeliveryLane {
  private readonly queue: PendingDelivery[] = [];
  private readonly running = new Map<string, PendingDelivery>();
  private readonly busyKeys = new Set<string>();
  private readonly limit: AdaptiveLimit;
  private last = '0';
  /** True when the last look found all that there was. */
  private exhausted = false;

  constructor(private readonly options: LaneOptions) {
    this.limit = new AdaptiveLimit(options.failing);
  }

  get idle(): boolean {
    return this.queue.length === 0 && this.running.size === 0;
  }

  /** True while attempts are under way. */
  get busy(): boolean {
    return this.running.size > 0;
  }

  /** Finds further deliveries if there is room, and begins attempts. @param anew looks even if all had been found */
  async fill(anew: boolean): Promise<void> {
    if (anew) this.exhausted = false;
    while (!this.exhausted && this.hasRoom && this.queue.length <= MAX_QUEUED - PAGE) {
      const underWay = [...this.running.keys(), ...this.queue.map(({ id }) => id)];
      const found = await this.options.find(this.last, underWay, PAGE);
      this.exhausted = found.length < PAGE;
      this.last = found.at(-1)?.number ?? this.last;
      this.queue.push(...found);
      this.begin();
    }
    this.begin();
  }

  private get hasRoom(): boolean {
    return this.queue.length === 0 || this.running.size < this.limit.value;
  }

  /** Begins as many attempts as the limit allows. */
  begin(): void {
    while (this.running.size < this.limit.value && this.options.mayBegin()) {
      const next = this.queue.findIndex(delivery => !this.busyKeys.has(this.keyFor(delivery)));
      const [delivery] = next < 0 ? [] : this.queue.splice(next, 1);
      if (!delivery) return;
      void this.run(delivery);
    }
  }

  private async run(delivery: PendingDelivery): Promise<void> {
    this.running.set(delivery.id, delivery);
    this.busyKeys.add(this.keyFor(delivery));
    let fault: Error | undefined;
    try {
      const { result, latencyMs } = await this.options.attempt(delivery);
      if (result === 'delivered') this.limit.recordSuccess(latencyMs);
      if (result === 'failed') this.limit.recordFailure();
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
    this.running.delete(delivery.id);
    this.busyKeys.delete(this.keyFor(delivery));
    if (!fault) this.begin();
    this.options.onEnd(fault);
  }

  /** Events without a conversation follow each other. Without an order each delivery has a key of its own. */
  private keyFor({ id, conversationId }: PendingDelivery): string {
    return this.options.ordered ? (conversationId ?? '') : id;
  }
}

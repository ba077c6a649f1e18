import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export type OutboundOutcome = 'answered_2xx' | 'answered_other' | 'unreachable' | 'aborted';

/** No label names a host, an id or a URL: users choose them, and there is no limit to their number. */
@Injectable()
export class OutboundMetricsService {
  private readonly requests: Counter;
  private readonly duration: Histogram;

  constructor(private readonly registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      name: 'outbound_requests_total',
      help: 'Requests to URLs that users configure, which this instance sent or gave up.',
      labelNames: ['outcome'],
      registers,
    });
    this.duration = new Histogram({
      name: 'outbound_request_duration_seconds',
      help: 'Time to the head of the answer to a request to a URL that users configure.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    });
  }

  /** Reads the numbers of requests whenever the metrics are read. */
  observeCounts(counts: { usedCount: number; waitingCount: number }): void {
    new Gauge({
      name: 'outbound_requests',
      help: 'Requests to URLs that users configure: under way, and waiting for their turn.',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        this.set({ state: 'under_way' }, counts.usedCount);
        this.set({ state: 'waiting' }, counts.waitingCount);
      },
    });
  }

  count(outcome: OutboundOutcome): void {
    this.requests.inc({ outcome });
  }

  observeLatency(ms: number): void {
    this.duration.observe(ms / 1_000);
  }
}

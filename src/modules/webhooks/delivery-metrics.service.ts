import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import type { DeliveryStatus } from './delivery.js';

/** Measures deliveries to webhooks. */
@Injectable()
export class DeliveryMetricsService {
  private readonly deliveries: Counter;
  private readonly attempts: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'webhook_deliveries_total',
      help: 'Deliveries to webhooks after an attempt: delivered, failed for good, or to be retried.',
      labelNames: ['outcome'],
      registers,
    });
    this.attempts = new Histogram({
      name: 'webhook_attempt_seconds',
      help: 'Time until a webhook answered, or until the attempt was given up.',
      labelNames: ['answered'],
      buckets: [0.05, 0.2, 1, 5, 15],
      registers,
    });
  }

  record(status: DeliveryStatus, latencyMs: number, answered: boolean): void {
    this.deliveries.inc({ outcome: status === 'pending' ? 'retried' : status });
    this.attempts.observe({ answered: String(answered) }, latencyMs / 1_000);
  }
}

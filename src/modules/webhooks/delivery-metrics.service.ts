import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { DeliveryStatus } from './delivery.js';

/** Counts deliveries to webhooks. The time of requests is measured where they are sent. */
@Injectable()
export class DeliveryMetricsService {
  private readonly deliveries: Counter;

  constructor(registry: Registry) {
    this.deliveries = new Counter({
      name: 'webhook_deliveries_total',
      help: 'Attempts of deliveries to webhooks: delivered, failed for good, or to be retried.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  record(status: DeliveryStatus): void {
    this.deliveries.inc({ outcome: status === 'pending' ? 'retried' : status });
  }
}

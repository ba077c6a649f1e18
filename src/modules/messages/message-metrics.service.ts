import { Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];

/** Shows sent messages in `/metrics`. */
@Injectable()
export class MessageMetricsService {
  private readonly sent: Counter;
  private readonly batches: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.sent = new Counter({
      name: 'messages_total',
      help: 'Messages that this instance stored, timeline entries included: in a shared statement or in a transaction.',
      labelNames: ['way'],
      registers,
    });
    this.batches = new Histogram({
      name: 'message_batch_size',
      help: 'Messages in one shared statement.',
      buckets: BATCH_SIZES,
      registers,
    });
  }

  countBatch(size: number): void {
    this.batches.observe(size);
  }

  count(way: 'statement' | 'transaction', messages: number): void {
    this.sent.inc({ way }, messages);
  }
}

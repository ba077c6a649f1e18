import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ExpiringMap } from '../../kernel/expiring-map.js';

/** Interval (ms) at which one kind of invalid data is logged. */
const LOG_EVERY_MS = 60_000;
/** Maximum number of kinds that are logged within the interval. */
const MAX_KINDS = 100;

/** The component that read the data; a label of the metric. */
export type InvalidDataSource = 'fanout' | 'events' | 'presence' | 'limits';

/**
 * Counts data from Redis that the service does not write. Its reader drops it; each kind is logged at most once a
 * minute.
 */
@Injectable()
export class InvalidDataService {
  private readonly logger = new Logger('redis');
  private readonly logged = new ExpiringMap(LOG_EVERY_MS, MAX_KINDS);
  private readonly counter: Counter<'source'>;

  constructor(registry: Registry) {
    this.counter = new Counter({
      name: 'redis_invalid_data_total',
      help: 'Messages and values from Redis that were dropped because they are not what the service writes.',
      labelNames: ['source'],
      registers: [registry],
    });
  }

  /** @param kind a constant description; it must not contain the data */
  record(source: InvalidDataSource, kind: string): void {
    this.counter.inc({ source });
    if (!this.logged.addIfAbsent(`${source} ${kind}`, new Date())) return;
    this.logger.warn(
      `invalid data from Redis was dropped: ${kind}; redis_invalid_data_total{source="${source}"} counts`,
    );
  }
}

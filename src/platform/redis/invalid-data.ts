import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ExpiringMap } from '../../kernel/expiring-map.js';

/** How often the log mentions one kind of invalid data. */
const LOG_EVERY_MS = 60_000;
/** How many kinds the log tells apart within that time. */
const MAX_KINDS = 100;

/** The readers of what other instances write; a label of the metric. */
export type InvalidDataSource = 'fanout' | 'events' | 'roster' | 'limits';

/**
 * Data from Redis that this version of the service does not write: dropped by its reader, counted here, and logged once
 * a minute for each kind.
 */
@Injectable()
export class InvalidData {
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

  /** @param kind a text of the program's own, never of the data */
  record(source: InvalidDataSource, kind: string): void {
    this.counter.inc({ source });
    if (!this.logged.addIfAbsent(`${source} ${kind}`, new Date())) return;
    this.logger.warn(
      `invalid data from Redis was dropped: ${kind}; redis_invalid_data_total{source="${source}"} counts`,
    );
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { EventReadingRepository } from './event-reading.repository.js';

const WARN_AFTER_SECONDS = 5;

/**
 * For how long one open transaction has kept the log from settling. It can be anybody's, in any database of the
 * cluster, and whoever reads the log behind the horizon waits for it.
 */
@Injectable()
export class HorizonAge {
  private readonly logger = new Logger(HorizonAge.name);
  private readonly gauge: Gauge;
  private horizon = '';
  private since = performance.now();
  private warned = false;

  constructor(
    private readonly events: EventReadingRepository,
    registry: Registry,
  ) {
    this.gauge = new Gauge({
      name: 'event_log_xmin_age_seconds',
      help: 'For how long the oldest open transaction of the cluster has kept the event log from settling.',
      registers: [registry],
    });
  }

  note({ horizon, held }: { horizon: string; held: boolean }): void {
    const now = performance.now();
    if (!held || horizon !== this.horizon) {
      this.horizon = horizon;
      this.since = now;
      this.warned = false;
    }
    const seconds = (now - this.since) / 1_000;
    this.gauge.set(seconds);
    if (seconds < WARN_AFTER_SECONDS || this.warned) return;
    this.warned = true;
    void this.warn(horizon, seconds);
  }

  private async warn(horizon: string, seconds: number): Promise<void> {
    const holder = await this.events.holder(horizon).catch(() => null);
    const who = holder
      ? `process ${holder.pid} of PostgreSQL (user ${holder.user ?? 'unknown'})`
      : 'an open transaction';
    this.logger.warn(`the event log has been held back for ${seconds.toFixed(0)} s by ${who}`);
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { EventReadingRepository } from './event-reading.repository.js';
import type { Snapshot } from './watermark.js';

const WARN_AFTER_SECONDS = 5;
/** The pause between warnings doubles up to this. */
const MAX_PAUSE_SECONDS = 600;

/**
 * Measures for how long an open transaction has kept the log from settling. Any transaction in any database of the
 * cluster can do so, and log pages, cursors and event consumers wait for it.
 */
@Injectable()
export class WatermarkLag {
  private readonly logger = new Logger(WatermarkLag.name);
  private readonly gauge: Gauge;
  private horizon = 0n;
  private since = performance.now();
  private warnAt = WARN_AFTER_SECONDS;
  private blocker: Promise<string> | null = null;

  constructor(
    private readonly events: EventReadingRepository,
    registry: Registry,
  ) {
    this.gauge = new Gauge({
      name: 'event_log_xmin_age_seconds',
      help: 'Seconds for which the oldest open transaction of the cluster has kept the event log from settling.',
      registers: [registry],
    });
  }

  /** For how long the current transaction has blocked the log; 0 when none does. */
  get seconds(): number {
    return this.horizon === 0n ? 0 : (performance.now() - this.since) / 1_000;
  }

  update({ xmin, xmax }: Pick<Snapshot, 'xmin' | 'xmax'>): void {
    const blocking = xmin < xmax ? xmin : 0n;
    if (blocking !== this.horizon) this.setBlocking(blocking);
    const { seconds } = this;
    this.gauge.set(seconds);
    if (seconds < this.warnAt) return;
    this.warnAt = seconds + Math.min(seconds, MAX_PAUSE_SECONDS);
    this.blocker = this.findBlocker(blocking);
    void this.blocker.then(name => {
      this.logger.warn(`the event log has been held back for ${seconds.toFixed(0)} s by ${name}`);
    });
  }

  /** @param xid the transaction that blocks the log from now on; 0 for none */
  private setBlocking(xid: bigint): void {
    const { blocker, seconds } = this;
    void blocker?.then(name => {
      this.logger.log(`the event log settles again: it was held back for ${seconds.toFixed(0)} s by ${name}`);
    });
    this.horizon = xid;
    this.since = performance.now();
    this.warnAt = WARN_AFTER_SECONDS;
    this.blocker = null;
  }

  private async findBlocker(xid: bigint): Promise<string> {
    const blocker = await this.events.findBlocker(xid.toString()).catch(() => null);
    return blocker
      ? `process ${blocker.pid} of PostgreSQL (user ${blocker.user ?? 'unknown'})`
      : 'an open transaction that no process has (see pg_prepared_xacts)';
  }
}

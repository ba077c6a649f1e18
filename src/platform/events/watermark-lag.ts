import { Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { EventReadingRepository } from './event-reading.repository.js';
import type { Snapshot } from './watermark.js';

const WARN_AFTER_SECONDS = 5;
/** Each warning waits twice as long as the one before it, and no longer than this. */
const LONGEST_PAUSE_SECONDS = 600;

/**
 * For how long one open transaction has kept the log from settling. It can be anybody's, in any database of the
 * cluster, and pages of the log, cursors and durable readers wait for it.
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
      help: 'For how long the oldest open transaction of the cluster has kept the event log from settling.',
      registers: [registry],
    });
  }

  /** Of the present hold; 0 where there is none. */
  get seconds(): number {
    return this.horizon === 0n ? 0 : (performance.now() - this.since) / 1_000;
  }

  update({ xmin, xmax }: Pick<Snapshot, 'xmin' | 'xmax'>): void {
    const held = xmin < xmax ? xmin : 0n;
    if (held !== this.horizon) this.begin(held);
    const { seconds } = this;
    this.gauge.set(seconds);
    if (seconds < this.warnAt) return;
    this.warnAt = seconds + Math.min(seconds, LONGEST_PAUSE_SECONDS);
    this.blocker = this.findBlocker(held);
    void this.blocker.then(holder => {
      this.logger.warn(`the event log has been held back for ${seconds.toFixed(0)} s by ${holder}`);
    });
  }

  /** @param held the transaction that holds the log back from now on; 0: none */
  private begin(held: bigint): void {
    const { blocker: holder, seconds } = this;
    void holder?.then(name => {
      this.logger.log(`the event log settles again: it was held back for ${seconds.toFixed(0)} s by ${name}`);
    });
    this.horizon = held;
    this.since = performance.now();
    this.warnAt = WARN_AFTER_SECONDS;
    this.blocker = null;
  }

  private async findBlocker(xid: bigint): Promise<string> {
    const holder = await this.events.findBlocker(xid.toString()).catch(() => null);
    return holder
      ? `process ${holder.pid} of PostgreSQL (user ${holder.user ?? 'unknown'})`
      : 'an open transaction that no process has (see pg_prepared_xacts)';
  }
}

import { Injectable } from '@nestjs/common';
import { WatermarkLag } from '../events/watermark-lag.js';
import { Fanout } from '../fanout/fanout.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { ReadinessRepository } from './readiness.repository.js';

export interface Readiness {
  database: 'ok' | 'down';
  migrations: 'ok' | 'pending';
  bus: 'ok' | 'down' | 'none';
  /** `held` when an open transaction delays the consumers and pages of the event log. */
  event_log: 'ok' | 'held';
  draining: boolean;
}

/** Watermark lag from which the event log counts as held; longer than any transaction of the service. */
const MAX_LAG_SECONDS = 5;

/** Checks whether this instance should receive traffic. */
@Injectable()
export class ReadinessService {
  private migrated = false;
  private probing: Promise<boolean> | undefined;

  constructor(
    private readonly repository: ReadinessRepository,
    private readonly fanout: Fanout,
    private readonly watermarkLag: WatermarkLag,
    private readonly lifecycle: LifecycleService,
  ) {}

  async check(): Promise<Readiness & { ready: boolean }> {
    const database = await this.databaseAnswers();
    return {
      ready: database && this.migrated && !this.lifecycle.draining,
      database: database ? 'ok' : 'down',
      migrations: this.migrated ? 'ok' : 'pending',
      bus: this.fanout.kind === 'memory' ? 'none' : this.fanout.healthy() ? 'ok' : 'down',
      event_log: this.watermarkLag.seconds < MAX_LAG_SECONDS ? 'ok' : 'held',
      draining: this.lifecycle.draining,
    };
  }

  /** Probes the database within a second. Concurrent probes share one query, so that they use only one connection. */
  private async databaseAnswers(): Promise<boolean> {
    const timeout = new Promise<false>(resolve => {
      setTimeout(() => resolve(false), 1_000).unref();
    });
    this.probing ??= this.probeDatabase().finally(() => (this.probing = undefined));
    return Promise.race([this.probing, timeout]);
  }

  private async probeDatabase(): Promise<boolean> {
    try {
      await this.repository.ping();
    } catch {
      return false;
    }
    this.migrated ||= await this.repository.migrated().catch(() => false);
    return true;
  }
}

import { Injectable } from '@nestjs/common';
import { WatermarkLag } from '../events/watermark-lag.js';
import { Fanout } from '../fanout/fanout.js';
import { Lifecycle } from './lifecycle.js';
import { ReadinessRepository } from './readiness.repository.js';

export interface Readiness {
  database: 'ok' | 'down';
  migrations: 'ok' | 'pending';
  bus: 'ok' | 'down' | 'none';
  /** `held`: an open transaction keeps pages of the log and its durable readers waiting; nothing else. */
  event_log: 'ok' | 'held';
  draining: boolean;
}

/** Longer than a transaction of the service takes. */
const HELD_SECONDS = 5;

/** Whether this instance should get traffic. */
@Injectable()
export class ReadinessService {
  private migrated = false;
  private probing: Promise<boolean> | undefined;

  constructor(
    private readonly probe: ReadinessRepository,
    private readonly fanout: Fanout,
    private readonly horizon: WatermarkLag,
    private readonly lifecycle: Lifecycle,
  ) {}

  async check(): Promise<Readiness & { ready: boolean }> {
    const database = await this.databaseAnswers();
    return {
      ready: database && this.migrated && !this.lifecycle.draining,
      database: database ? 'ok' : 'down',
      migrations: this.migrated ? 'ok' : 'pending',
      bus: this.fanout.kind === 'memory' ? 'none' : this.fanout.healthy() ? 'ok' : 'down',
      event_log: this.horizon.seconds < HELD_SECONDS ? 'ok' : 'held',
      draining: this.lifecycle.draining,
    };
  }

  /** Within a second, and with one connection, however many ask: probes must not take what requests wait for. */
  private async databaseAnswers(): Promise<boolean> {
    const late = new Promise<false>(resolve => {
      setTimeout(() => resolve(false), 1_000).unref();
    });
    this.probing ??= this.look().finally(() => (this.probing = undefined));
    return Promise.race([this.probing, late]);
  }

  private async look(): Promise<boolean> {
    try {
      await this.probe.ping();
    } catch {
      return false;
    }
    this.migrated ||= await this.probe.migrated().catch(() => false);
    return true;
  }
}

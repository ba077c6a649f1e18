import { Controller, Get, Header, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { Public } from '../access/access.decorator.js';
import { Fanout } from '../fanout/fanout.js';
import { Lifecycle } from './lifecycle.js';
import { ReadinessRepository } from './readiness.repository.js';

/** What probes and collectors ask; plain bodies, outside of /v1 and its envelope. */
@ApiExcludeController()
@Public()
@Controller({ version: VERSION_NEUTRAL })
export class HealthController {
  private readonly metrics = new Registry();
  private migrated = false;

  constructor(
    private readonly readiness: ReadinessRepository,
    private readonly fanout: Fanout,
    private readonly lifecycle: Lifecycle,
  ) {
    collectDefaultMetrics({ register: this.metrics });
  }

  /** The process is alive. */
  @Get('healthz')
  alive(@Res() response: Response): void {
    response.json({ status: 'ok' });
  }

  /** The instance should get traffic: database and schema are there, and it is not draining. */
  @Get('readyz')
  async ready(@Res() response: Response): Promise<void> {
    const database = await this.readiness.databaseAnswers();
    this.migrated ||= database && (await this.readiness.migrated().catch(() => false));
    const checks = {
      database: database ? 'ok' : 'down',
      migrations: this.migrated ? 'ok' : 'pending',
      bus: this.fanout.kind === 'memory' ? 'none' : this.fanout.healthy() ? 'ok' : 'down',
      draining: this.lifecycle.draining,
    };
    const ready = database && this.migrated && !this.lifecycle.draining;
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable', ...checks });
  }

  @Get('metrics')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  async collect(@Res() response: Response): Promise<void> {
    response.send(await this.metrics.metrics());
  }
}

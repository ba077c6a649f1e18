import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Registry } from 'prom-client';
import { Config } from '../../config/config.js';
import { Public } from '../access/access.decorator.js';
import { bearerToken } from '../access/authenticator.js';
import { MetricsPolicy } from '../metrics/metrics.policy.js';
import { aliveBody } from './alive-body.js';
import { ReadinessService } from './readiness.service.js';

/** Endpoints for probes and Prometheus. Bodies are plain, without the envelope of /v1. */
@ApiExcludeController()
@Public()
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly metrics: Registry,
    private readonly metricsPolicy: MetricsPolicy,
    private readonly config: Config,
  ) {}

  @Get('healthz')
  alive(@Res() response: Response): void {
    response.json(aliveBody(this.config));
  }

  @Get('readyz')
  async ready(@Res() response: Response): Promise<void> {
    const { ready, ...checks } = await this.readiness.check();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable', ...checks });
  }

  @Get('metrics')
  async collect(@Headers('authorization') authorization: string | undefined, @Res() response: Response): Promise<void> {
    this.metricsPolicy.assertMayRead(bearerToken(authorization));
    response.type(this.metrics.contentType).send(await this.metrics.metrics());
  }
}

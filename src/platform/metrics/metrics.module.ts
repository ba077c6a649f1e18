import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MetricsPolicy } from './metrics.policy.js';

function newRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Provides the metrics registry of this instance. Each module registers its own metrics. */
@Global()
@Module({
  providers: [{ provide: Registry, useFactory: newRegistry }, MetricsPolicy],
  exports: [Registry, MetricsPolicy],
})
export class MetricsModule {}

import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MetricsPolicy } from './metrics-policy.js';

function newRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** What `/metrics` shows: each room adds its own figures to the one registry of this instance. */
@Global()
@Module({
  providers: [{ provide: Registry, useFactory: newRegistry }, MetricsPolicy],
  exports: [Registry, MetricsPolicy],
})
export class MetricsModule {}

import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

function newRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** What `/metrics` shows: each room adds its own figures to the one registry of this instance. */
@Global()
@Module({ providers: [{ provide: Registry, useFactory: newRegistry }], exports: [Registry] })
export class MetricsModule {}

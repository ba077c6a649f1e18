import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { MetricsPolicy } from './metrics.policy.js';

let ofProcess: Registry | undefined;

/** Node's own metrics. Instances in one process share them, because the library cannot stop collecting them. */
function processMetrics(): Registry {
  if (!ofProcess) collectDefaultMetrics({ register: (ofProcess = new Registry()) });
  return ofProcess;
}

const newRegistry = () => Registry.merge([processMetrics()]);

/** Provides the metrics registry of this instance. Each module registers its own metrics. */
@Global()
@Module({
  providers: [{ provide: Registry, useFactory: newRegistry }, MetricsPolicy],
  exports: [Registry, MetricsPolicy],
})
export class MetricsModule {}

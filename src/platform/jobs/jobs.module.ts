import { Global, Module } from '@nestjs/common';
import { WorkerDependencies } from './due-worker.js';
import { WorkerMetrics } from './worker-metrics.js';

@Global()
@Module({ providers: [WorkerMetrics, WorkerDependencies], exports: [WorkerDependencies] })
export class JobsModule {}

import { Global, Module } from '@nestjs/common';
import { WorkerDependencies } from './due.worker.js';
import { WorkerMetricsService } from './worker-metrics.service.js';

@Global()
@Module({ providers: [WorkerMetricsService, WorkerDependencies], exports: [WorkerDependencies] })
export class JobsModule {}

import { Global, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Lifecycle } from './lifecycle.js';
import { ReadinessRepository } from './readiness.repository.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [ReadinessRepository, Lifecycle],
  exports: [Lifecycle],
})
export class HealthModule {}

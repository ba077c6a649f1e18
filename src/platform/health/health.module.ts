import { Global, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Lifecycle } from '../lifecycle/lifecycle.js';
import { ReadinessService } from './readiness.service.js';
import { ReadinessRepository } from './readiness.repository.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [ReadinessRepository, ReadinessService, Lifecycle],
  exports: [Lifecycle],
})
export class HealthModule {}

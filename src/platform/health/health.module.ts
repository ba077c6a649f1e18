import { Global, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { ReadinessService } from './readiness.service.js';
import { ReadinessRepository } from './readiness.repository.js';

@Global()
@Module({
  controllers: [HealthController],
  providers: [ReadinessRepository, ReadinessService, LifecycleService],
  exports: [LifecycleService],
})
export class HealthModule {}

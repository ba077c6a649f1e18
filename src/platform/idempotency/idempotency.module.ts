import { Global, Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyKeyRetentionJob } from './idempotency-key-retention.job.js';
import { IdempotencyService } from './idempotency.service.js';

@Global()
@Module({
  providers: [IdempotencyRepository, IdempotencyService, IdempotencyKeyRetentionJob],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}

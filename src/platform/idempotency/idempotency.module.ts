import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { Idempotency } from './idempotency.service.js';

@Module({ providers: [IdempotencyRepository, Idempotency], exports: [Idempotency] })
export class IdempotencyModule {}

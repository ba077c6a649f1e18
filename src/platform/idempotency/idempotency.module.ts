import { Global, Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { KeptAnswers } from './kept-answers.service.js';
import { Idempotency } from './idempotency.service.js';

@Global()
@Module({ providers: [IdempotencyRepository, Idempotency, KeptAnswers], exports: [Idempotency] })
export class IdempotencyModule {}

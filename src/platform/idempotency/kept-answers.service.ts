import { Injectable } from '@nestjs/common';
import { OldRows } from '../database/old-rows.service.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Drops kept answers that are a day old. */
@Injectable()
export class KeptAnswers extends OldRows {
  protected readonly what = 'kept answers';

  constructor(private readonly answers: IdempotencyRepository) {
    super();
  }

  protected drop(): Promise<number> {
    return this.answers.forgetOld();
  }
}

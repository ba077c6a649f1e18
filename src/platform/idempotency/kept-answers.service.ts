import { Injectable } from '@nestjs/common';
import { OldRows } from '../database/old-rows.service.js';
import { SealedPlaces } from '../encryption/sealed-places.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Drops kept answers that are a day old. */
@Injectable()
export class KeptAnswers extends OldRows {
  protected readonly what = 'kept answers';

  /** To read one takes its raw Idempotency-Key, so none can be rewritten under another encryption key. */
  constructor(
    private readonly answers: IdempotencyRepository,
    places: SealedPlaces,
  ) {
    super();
    places.add({ what: this.what, within: '24 hours', keysInUse: () => answers.keysInUse() });
  }

  protected drop(): Promise<number> {
    return this.answers.forgetOld();
  }
}

import { Injectable } from '@nestjs/common';
import { RetentionJob } from '../database/retention.job.js';
import { EncryptedColumns } from '../encryption/encrypted-columns.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Drops kept answers that are a day old. */
@Injectable()
export class IdempotencyKeyRetentionJob extends RetentionJob {
  protected readonly rowsName = 'kept answers';

  /** To read one takes its raw Idempotency-Key, so none can be rewritten under another encryption key. */
  constructor(
    private readonly answers: IdempotencyRepository,
    places: EncryptedColumns,
  ) {
    super();
    places.add({ name: this.rowsName, expiresAfter: '24 hours', keysInUse: () => answers.keysInUse() });
  }

  protected deleteExpired(): Promise<number> {
    return this.answers.deleteExpired();
  }
}

import { Injectable } from '@nestjs/common';
import { RetentionJob } from '../database/retention.job.js';
import { EncryptedColumns } from '../encryption/encrypted-columns.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Deletes stored answers after 24 hours. */
@Injectable()
export class IdempotencyKeyRetentionJob extends RetentionJob {
  protected readonly rowsName = 'kept answers';

  /** Registers the answers as expiring: reading one needs its raw Idempotency-Key, so none can be re-encrypted. */
  constructor(
    private readonly answers: IdempotencyRepository,
    columns: EncryptedColumns,
  ) {
    super();
    columns.add({ name: this.rowsName, expiresAfter: '24 hours', keysInUse: () => answers.keysInUse() });
  }

  protected deleteExpired(): Promise<number> {
    return this.answers.deleteExpired();
  }
}

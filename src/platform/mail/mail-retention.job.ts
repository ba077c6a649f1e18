import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../database/retention.job.js';
import { EncryptedColumns } from '../encryption/encrypted-columns.js';
import { MailQueueRepository } from './mail-queue.repository.js';

/** Deletes the records of mails after `RETENTION_MAILS_DAYS`. */
@Injectable()
export class MailRetentionJob extends RetentionJob {
  protected readonly rowsName = 'mails';

  /** Registers the data of mails as expiring: no mail is tried for longer than three days. */
  constructor(
    private readonly queue: MailQueueRepository,
    private readonly clock: Clock,
    private readonly config: Config,
    columns: EncryptedColumns,
  ) {
    super();
    columns.add({ name: 'data of mails', expiresAfter: '3 days', keysInUse: () => queue.keysInUse() });
  }

  protected deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.mailRetentionDays);
    return this.deleteInBatches(limit => this.queue.deleteOlderThan(before, limit));
  }
}

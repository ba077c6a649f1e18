import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { AuditRepository } from './audit.repository.js';

/** Deletes entries older than `auditRetentionDays`. */
@Injectable()
export class AuditRetentionJob extends RetentionJob {
  protected readonly rowsName = 'audit entries';

  constructor(
    private readonly entries: AuditRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.auditRetentionDays);
    return this.deleteInBatches(limit => this.entries.deleteBefore(before, limit));
  }
}

import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { OldRows } from '../../platform/database/old-rows.service.js';
import { AuditRepository } from './audit.repository.js';

/** Drops what nobody has to answer for any more. */
@Injectable()
export class OldAuditEntries extends OldRows {
  protected readonly what = 'audit entries';

  constructor(
    private readonly entries: AuditRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected drop(): Promise<number> {
    const before = this.clock.daysAgo(this.config.auditRetentionDays);
    return this.inBatches(limit => this.entries.dropBefore(before, limit));
  }
}

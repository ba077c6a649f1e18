import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { OldRows } from '../../platform/database/old-rows.service.js';
import { AuditRepository } from './audit.repository.js';

const DAY_MS = 24 * 3_600_000;

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
    const before = new Date(this.clock.now().getTime() - this.config.auditRetentionDays * DAY_MS);
    return this.inBatches(limit => this.entries.dropBefore(before, limit));
  }
}

import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../database/retention.job.js';
import { EventRepository } from './event.repository.js';

/** Deletes events that are older than the retention period. */
@Injectable()
export class EventRetentionJob extends RetentionJob {
  protected readonly rowsName = 'events';

  constructor(
    private readonly events: EventRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.eventRetentionDays);
    return this.deleteInBatches(limit => this.events.prune(before, limit));
  }
}

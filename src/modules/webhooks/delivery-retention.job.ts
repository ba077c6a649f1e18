import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { EventCopiesRepository } from './event-copies.repository.js';
import { ReplaysRepository } from './replays.repository.js';

/** Deletes deliveries after `RETENTION_DELIVERIES_DAYS`, then the events that no delivery refers to, and replays. */
@Injectable()
export class DeliveryRetentionJob extends RetentionJob {
  protected readonly rowsName = 'deliveries of webhooks';

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly copies: EventCopiesRepository,
    private readonly replays: ReplaysRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected async deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.deliveryRetentionDays);
    const deleted = await this.deleteInBatches(limit => this.deliveries.deleteBefore(before, limit));
    const copies = await this.deleteInBatches(limit => this.copies.deleteBefore(before, limit));
    return deleted + copies + (await this.deleteInBatches(limit => this.replays.deleteBefore(before, limit)));
  }
}

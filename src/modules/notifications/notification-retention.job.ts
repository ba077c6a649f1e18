import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { NotificationsRepository } from './notifications.repository.js';

/** Deletes notifications after `RETENTION_NOTIFICATIONS_DAYS`. */
@Injectable()
export class NotificationRetentionJob extends RetentionJob {
  protected readonly rowsName = 'notifications';

  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.notificationRetentionDays);
    return this.deleteInBatches(limit => this.notifications.deleteBefore(before, limit));
  }
}

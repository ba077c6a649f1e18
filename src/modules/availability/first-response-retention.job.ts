import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { REPLY_DAYS } from './reply-time.js';
import { ReplyTimesRepository } from './reply-times.repository.js';

/** Deletes first answers that no longer count. */
@Injectable()
export class FirstResponseRetentionJob extends RetentionJob {
  protected readonly rowsName = 'first responses';

  constructor(
    private readonly replyTimes: ReplyTimesRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    return this.deleteInBatches(limit => this.replyTimes.deleteOlderThan(this.clock.daysAgo(REPLY_DAYS), limit));
  }
}

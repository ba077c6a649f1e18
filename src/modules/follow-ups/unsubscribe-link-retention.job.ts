import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { UnsubscribeLinksRepository } from './unsubscribe-links.repository.js';

/** Links of old mails still work: people unsubscribe late. */
const KEPT_DAYS = 2 * 365;

/** Deletes the links of mails that are two years old. What was unsubscribed with them stays so. */
@Injectable()
export class UnsubscribeLinkRetentionJob extends RetentionJob {
  protected readonly rowsName = 'unsubscribe links';

  constructor(
    private readonly links: UnsubscribeLinksRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    return this.deleteInBatches(limit => this.links.deleteOlderThan(this.clock.daysAgo(KEPT_DAYS), limit));
  }
}

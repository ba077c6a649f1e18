import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { SsoTicketsRepository } from './sso-tickets.repository.js';

/** Deletes tickets one day after expiry. Until then the log can tell a late exchange from a guess. */
@Injectable()
export class SsoTicketRetentionJob extends RetentionJob {
  protected readonly rowsName = 'tickets';

  constructor(
    private readonly tickets: SsoTicketsRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    return this.tickets.deleteExpired(this.clock.daysAgo(1));
  }
}

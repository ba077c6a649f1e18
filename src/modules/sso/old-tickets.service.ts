import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { OldRows } from '../../platform/database/old-rows.service.js';
import { SsoTicketsRepository } from './sso-tickets.repository.js';

/** Drops tickets a day after their end: until then a late exchange is told apart from a guess in the log. */
@Injectable()
export class OldTickets extends OldRows {
  protected readonly what = 'tickets';

  constructor(
    private readonly tickets: SsoTicketsRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected drop(): Promise<number> {
    return this.tickets.forget(this.clock.daysAgo(1));
  }
}

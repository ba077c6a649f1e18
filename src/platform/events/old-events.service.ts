import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { OldRows } from '../database/old-rows.service.js';
import { EventRepository } from './event.repository.js';

/** Drops events that nobody can resume from any more. */
@Injectable()
export class OldEvents extends OldRows {
  protected readonly what = 'events';

  constructor(
    private readonly events: EventRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected drop(): Promise<number> {
    const before = this.clock.daysAgo(this.config.eventRetentionDays);
    return this.inBatches(limit => this.events.prune(before, limit));
  }
}

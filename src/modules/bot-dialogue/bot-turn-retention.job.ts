import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { RetentionJob } from '../../platform/database/retention.job.js';
import { BotTurnsRepository } from './bot-turns.repository.js';

/** Deletes ended turns after `RETENTION_BOT_TURNS_DAYS`. */
@Injectable()
export class BotTurnRetentionJob extends RetentionJob {
  protected readonly rowsName = 'turns of bots';

  constructor(
    private readonly turns: BotTurnsRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    super();
  }

  protected deleteExpired(): Promise<number> {
    const before = this.clock.daysAgo(this.config.botTurnRetentionDays);
    return this.deleteInBatches(limit => this.turns.deleteBefore(before, limit));
  }
}

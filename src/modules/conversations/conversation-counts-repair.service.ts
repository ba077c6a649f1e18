import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';

/** Checks the tally against the conversations themselves. */
@Injectable()
export class ConversationCountsRepairService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly counts: ConversationCountsRepository,
  ) {}

  /** Counts anew where the tally is wrong; writers wait meanwhile. @returns how many kinds were counted wrongly */
  async repair(): Promise<number> {
    return this.units.run(async () => {
      await this.counts.freeze();
      const wrong = await this.counts.countDrift();
      if (wrong > 0) await this.counts.recount();
      return wrong;
    });
  }
}

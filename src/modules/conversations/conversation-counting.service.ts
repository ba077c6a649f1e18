import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { TallyRepository } from './tally.repository.js';

/** Checks the tally against the conversations themselves. */
@Injectable()
export class ConversationCounting {
  constructor(
    private readonly units: UnitOfWork,
    private readonly tally: TallyRepository,
  ) {}

  /** Counts anew where the tally is wrong; writers wait meanwhile. @returns how many kinds were counted wrongly */
  async repair(): Promise<number> {
    return this.units.run(async () => {
      await this.tally.freeze();
      const wrong = await this.tally.drift();
      if (wrong > 0) await this.tally.recount();
      return wrong;
    });
  }
}

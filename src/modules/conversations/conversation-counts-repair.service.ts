import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { TagsService } from '../tags/index.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';

/** Compares the stored counts with the conversations, and corrects them. */
@Injectable()
export class ConversationCountsRepairService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly counts: ConversationCountsRepository,
    private readonly tags: TagsService,
  ) {}

  /** Recounts if any count is wrong; writers wait meanwhile. @returns the number of wrong counts */
  async repair(): Promise<number> {
    return this.units.run(async () => (await this.counts.repair()) + (await this.tags.repairCounts()));
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { BackfillWorker } from './backfill.worker.js';
import { BackfillsRepository } from './backfills.repository.js';

/** Counts all reports anew. */
@Injectable()
export class ReportRecountsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly backfills: BackfillsRepository,
    private readonly worker: BackfillWorker,
  ) {}

  /** Clears the facts. The worker counts them anew from the tables, in the background and on any instance. */
  async begin(): Promise<void> {
    await this.units.run(async () => {
      await this.backfills.restart();
      this.worker.wakeAfterCommit();
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { ActsService } from './acts.service.js';
import type { Backfill } from './backfills.repository.js';
import { BackfillsRepository } from './backfills.repository.js';
import { FactsRepository } from './facts.repository.js';
import { HistoriesRepository } from './histories.repository.js';
import { actsOf } from './history-acts.js';

/** Conversations per transaction. The consumer of the log waits meanwhile. */
const SLICE = 100;

/**
 * Counts what is older than the log, from the tables, in slices. Each slice commits with its position, so a crash counts
 * nothing twice. An act belongs to the backfill or to the consumer by its time, which both know.
 */
@Injectable()
export class BackfillWorker extends DueWorker<Backfill> {
  protected readonly name = 'report_backfills';
  protected override readonly concurrency = 1;

  constructor(
    dependencies: WorkerDependencies,
    private readonly backfills: BackfillsRepository,
    private readonly histories: HistoriesRepository,
    private readonly facts: FactsRepository,
    private readonly acts: ActsService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<Backfill[]> {
    return this.backfills.findDue(query);
  }

  /** One slice; the row stays due until no conversation is left. */
  protected work({ workspaceId }: Backfill): Promise<boolean> {
    return this.transaction(async () => {
      const backfill = await this.backfills.tryLock(workspaceId);
      if (!backfill) return false;
      await this.facts.lock();
      const slice = await this.histories.findAfter(workspaceId, backfill.afterId, SLICE);
      const ids = slice.map(({ id }) => id);
      await this.facts.addStoredMessages(workspaceId, ids);
      await this.acts.count(slice.flatMap(actsOf));
      await this.backfills.advance(workspaceId, slice.length < SLICE ? null : (ids.at(-1) ?? null));
      return true;
    });
  }

  protected measure(): Promise<Backlog> {
    return this.backfills.measure();
  }
}

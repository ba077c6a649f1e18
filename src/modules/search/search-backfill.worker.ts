import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import type { SearchBackfill } from './search-backfills.repository.js';
import { SearchBackfillsRepository } from './search-backfills.repository.js';
import { withinSize } from './search-document.js';
import { SearchIndexingService } from './search-indexing.service.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SearchSourcesRepository } from './search-sources.repository.js';
import { SearchConsumer } from './search.consumer.js';

const SLICE = 500;

/**
 * Writes things to the index that are older than the consumer's part of the log: from the newest to the oldest, in
 * slices that a crash does not repeat.
 */
@Injectable()
export class SearchBackfillWorker extends DueWorker<SearchBackfill> {
  protected readonly name = 'search_backfills';
  protected override readonly concurrency = 1;
  protected override readonly share = 0.2;

  constructor(
    dependencies: WorkerDependencies,
    private readonly consumer: SearchConsumer,
    private readonly backfills: SearchBackfillsRepository,
    private readonly segments: SearchSegmentsRepository,
    private readonly sources: SearchSourcesRepository,
    private readonly indexing: SearchIndexingService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<SearchBackfill[]> {
    return this.backfills.findDue(this.consumer.name, query);
  }

  protected work({ id }: SearchBackfill): Promise<boolean> {
    return this.transaction(() => this.writeSlice(id));
  }

  protected measure(): Promise<Backlog> {
    return this.backfills.measure();
  }

  /** @returns false if another instance writes it */
  private async writeSlice(id: string): Promise<boolean> {
    const backfill = await this.backfills.tryLock(this.consumer.name, id);
    if (!backfill) return false;
    const { workspaceId, type, beforeId } = backfill;
    await this.segments.lock();
    const found = await this.sources.findBefore(workspaceId, type, beforeId, SLICE);
    const slice = withinSize(found);
    await this.indexing.write(slice, type);
    const isLast = slice.length === found.length && found.length < SLICE;
    await this.backfills.advance(id, isLast ? null : (slice.at(-1)?.id ?? null));
    return true;
  }
}

import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { SearchIndexingService } from './search-indexing.service.js';
import { SearchPostponedRepository } from './search-postponed.repository.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SearchSourcesRepository } from './search-sources.repository.js';

/** Things of one unit of work. Ten of the longest messages take 60 to 200 ms. */
const SLICE = 10;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Writes long texts to the index that the consumer has left out, so that a workspace with many of them delays no other
 * one. Its rows are workspaces, each of which gets one slice before any gets another.
 */
@Injectable()
export class SearchPostponedWorker extends DueWorker<DueRow> {
  protected readonly name = 'search_postponed';
  protected override readonly concurrency = 1;
  protected override readonly share = 0.4;
  private lastId = LOWEST_ID;

  constructor(
    dependencies: WorkerDependencies,
    private readonly workspaces: SearchPostponedRepository,
    private readonly segments: SearchSegmentsRepository,
    private readonly sources: SearchSourcesRepository,
    private readonly indexing: SearchIndexingService,
  ) {
    super(dependencies);
  }

  /** Continues behind the workspaces of the last batch, and begins again after the last one. */
  protected async claim(query: DueQuery): Promise<DueRow[]> {
    const rows = await this.workspaces.findWorkspaces(this.lastId, query);
    this.lastId = (rows.length === query.limit ? rows.at(-1)?.id : undefined) ?? LOWEST_ID;
    return rows;
  }

  protected async work({ workspaceId }: DueRow): Promise<boolean> {
    await this.transaction(async () => {
      await this.segments.lock();
      await this.indexing.write(await this.sources.takePostponed(workspaceId, SLICE), 'log');
    });
    return true;
  }

  protected measure(): Promise<Backlog> {
    return this.workspaces.measure();
  }
}

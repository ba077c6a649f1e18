import { Injectable } from '@nestjs/common';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { EventRange, LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { SearchIndexingService } from './search-indexing.service.js';
import { SearchPostponedWorker } from './search-postponed.worker.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SearchSourcesRepository } from './search-sources.repository.js';

/**
 * Keeps the index up to date. It reads the rows that events changed, not the events, so an older event never brings back
 * what was unsent or erased since.
 */
@Injectable()
export class SearchConsumer extends EventConsumer {
  readonly name = 'search';
  protected readonly types = [
    'message.created',
    'message.updated',
    'message.deleted',
    'conversation.created',
    'conversation.updated',
    'contact.created',
    'contact.updated',
    'contact.merged',
    'contact.deleted',
  ] as const;
  protected override readonly condition = null;
  protected override readonly readsRanges = true;
  /** Older things are the backfill's work. */
  protected override readonly beginsAtEnd = true;
  protected override readonly batchMs = 750;
  protected override readonly rangeSize = 2_000;
  protected override readonly share = 0.3;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly segments: SearchSegmentsRepository,
    private readonly sources: SearchSourcesRepository,
    private readonly indexing: SearchIndexingService,
    private readonly postponed: SearchPostponedWorker,
  ) {
    super(dependencies);
  }

  protected async handle(_events: readonly LoggedEvent[], range: EventRange): Promise<void> {
    await this.segments.lock();
    const [found, hasPostponed] = await this.sources.findChanged(range, this.types);
    await this.indexing.write(found, 'log');
    if (hasPostponed) this.postponed.wakeAfterCommit();
  }
}

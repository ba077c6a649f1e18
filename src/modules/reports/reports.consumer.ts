import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { EventRange, LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { ActsService } from './acts.service.js';
import { COUNTED_FROM, FactsRepository } from './facts.repository.js';
import { isAct, toLoggedAct } from './logged-act.js';
import { MergedTagsRepository } from './merged-tags.repository.js';

/** Counts what happens for the reports. Plain messages, the most frequent events, stay in the database. */
@Injectable()
export class ReportsConsumer extends EventConsumer {
  readonly name = 'reports';
  protected readonly types = ['conversation.created', 'message.created', 'message.deleted', 'tag.updated'] as const;
  protected override readonly condition = isAct(COUNTED_FROM);
  protected override readonly readsRanges = true;
  protected override readonly beginsAtEnd = true;
  protected override readonly batchMs = 1_500;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly facts: FactsRepository,
    private readonly acts: ActsService,
    private readonly mergedTags: MergedTagsRepository,
    private readonly clock: Clock,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[], range: EventRange): Promise<void> {
    await this.facts.lock();
    await this.facts.sumUp(this.clock.now());
    await this.facts.addLoggedMessages(range);
    await this.acts.count(events.map(toLoggedAct).filter(act => act !== null));
    const merges = events.filter(
      (event): event is LoggedEvent & RecordedEvent<'tag.updated'> => event.type === 'tag.updated',
    );
    for (const { workspaceId, payload } of merges)
      await this.mergedTags.merge(workspaceId, payload.id, payload.into_id);
  }
}

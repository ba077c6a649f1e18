import { Injectable } from '@nestjs/common';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { EventRange, LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { InboxService } from '../conversations/index.js';

/**
 * Keeps the order of the inbox's lists and the filter `unread` up to date: a message itself writes nothing for them. The
 * events stay in the database.
 */
@Injectable()
export class InboxConsumer extends EventConsumer {
  readonly name = 'inbox';
  protected readonly types = ['message.created', 'message.deleted', 'conversation.read'] as const;
  protected override readonly condition = null;
  protected override readonly readsRanges = true;
  protected override readonly batchMs = 1_000;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly inbox: InboxService,
  ) {
    super(dependencies);
  }

  protected handle(_events: readonly LoggedEvent[], range: EventRange): Promise<void> {
    return this.inbox.followEvents(range, this.types);
  }
}

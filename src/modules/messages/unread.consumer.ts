import { Injectable } from '@nestjs/common';
import type { EventType } from '../../kernel/domain-event.js';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { InboxService } from '../conversations/index.js';

/** SQL that is true for events after which a conversation may have become read or unread. */
const MAY_CHANGE_UNREAD = `CASE type
  WHEN 'conversation.read' THEN payload ->> 'reader' = 'agents'
  WHEN 'message.created' THEN payload #>> '{message,private}' = 'false' AND payload #>> '{conversation,unread,agents}'
    = CASE payload #>> '{message,sender_type}' WHEN 'contact' THEN '1' ELSE '0' END
  ELSE true END`;

/** Keeps the filter `unread` of the inbox up to date: a message itself writes nothing for it. */
@Injectable()
export class UnreadConsumer extends EventConsumer {
  protected readonly name = 'unread';
  protected readonly types: readonly EventType[] = ['message.created', 'message.deleted', 'conversation.read'];
  protected override readonly condition = MAY_CHANGE_UNREAD;
  protected override readonly batchMs = 500;

  constructor(
    dependencies: ConsumerDependencies,
    private readonly inbox: InboxService,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[]): Promise<void> {
    const changed = new Map<string, string>();
    for (const { conversationId, workspaceId } of events) {
      if (conversationId !== null) changed.set(conversationId, workspaceId);
    }
    const ordered = [...changed].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.inbox.writeUnread(ordered.map(([id, workspaceId]) => ({ workspaceId, id })));
  }
}

import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { ConsumerDependencies, EventConsumer } from '../../platform/events/event.consumer.js';
import type { LoggedEvent } from '../../platform/events/reading-position.repository.js';
import { ConversationsService } from '../conversations/index.js';

/** Keeps the filter `unread` of the inbox up to date: a message itself writes nothing for it. */
@Injectable()
export class UnreadConsumer extends EventConsumer {
  protected readonly name = 'unread';
  protected readonly types: readonly EventType[] = ['message.created', 'message.deleted', 'conversation.read'];

  constructor(
    dependencies: ConsumerDependencies,
    private readonly conversations: ConversationsService,
  ) {
    super(dependencies);
  }

  protected async handle(events: readonly LoggedEvent[]): Promise<void> {
    const changed = new Map<string, string>();
    for (const event of events) {
      const { conversationId, workspaceId } = event;
      if (conversationId !== null && mayChangeUnread(event)) changed.set(conversationId, workspaceId);
    }
    const ordered = [...changed].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.conversations.writeUnread(ordered.map(([id, workspaceId]) => ({ workspaceId, id })));
  }
}

/** A contact's second unread message changes nothing. */
function mayChangeUnread(event: RecordedEvent): boolean {
  if (event.type === 'conversation.read') {
    return (event as RecordedEvent<'conversation.read'>).payload.reader === 'agents';
  }
  if (event.type === 'message.deleted') return true;
  const { message, conversation } = (event as RecordedEvent<'message.created'>).payload;
  return !message.private && conversation.unread.agents === (message.sender_type === 'contact' ? 1 : 0);
}

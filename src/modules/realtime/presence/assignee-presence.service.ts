import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import type { VisitorPrincipal } from '../../../kernel/principal.js';
import { EventTailJob } from '../../../platform/events/event-tail.job.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { ConversationsService } from '../../conversations/index.js';
import { topics } from '../topics.js';
import { PresenceService } from './presence.service.js';

/** Subscribes visitors to the presence of the agents assigned to their unresolved conversations, and of no others. */
@Injectable()
export class AssigneePresenceService implements OnModuleInit {
  private readonly logger = new Logger('presence');
  /** By socket, the last update, which the next one waits for, so that the latest state wins. */
  private readonly updates = new WeakMap<SocketConnection, Promise<void>>();

  constructor(
    private readonly tail: EventTailJob,
    private readonly hub: SocketHub,
    private readonly conversations: ConversationsService,
    private readonly presence: PresenceService,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (!concernsAssignee(event)) return;
      const { contactId, channelId, conversationId } = event;
      const affected = [
        ...(contactId && channelId ? [topics.contact(contactId, channelId)] : []),
        ...(conversationId ? [topics.visitorConversation(conversationId)] : []),
      ];
      for (const topic of affected) for (const connection of this.hub.findSubscribers(topic)) this.refresh(connection);
    });
  }

  /** Updates the subscriptions of a visitor's socket and sends the presence of newly assigned agents. */
  refresh(connection: SocketConnection): void {
    const update = (this.updates.get(connection) ?? Promise.resolve())
      .then(() => this.updateTopics(connection))
      .catch((error: unknown) =>
        this.logger.warn(`the assignees of a visitor's conversations cannot be read: ${String(error)}`),
      );
    this.updates.set(connection, update);
  }

  private async updateTopics(connection: SocketConnection): Promise<void> {
    const { conversationId, principal } = connection.admission;
    const ids = await this.conversations.findAssigneeIds(principal as VisitorPrincipal, conversationId);
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const current = ids.map(topics.servedBy);
    const former = [...connection.topics].filter(topic => topic.startsWith(topics.servedBy('')));
    for (const topic of former) if (!current.includes(topic)) this.hub.leave(connection, topic);
    for (const id of ids) {
      if (connection.topics.has(topics.servedBy(id))) continue;
      this.hub.join(connection, topics.servedBy(id));
      this.presence.sendAssigneePresence(connection, id);
    }
  }
}

function concernsAssignee(event: RecordedEvent): boolean {
  if (event.type === 'conversation.created') return true;
  if (event.type !== 'conversation.updated') return false;
  const { changes } = (event as RecordedEvent<'conversation.updated'>).payload;
  return 'assignee_id' in changes || 'status' in changes;
}

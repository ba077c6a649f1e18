import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import type { VisitorPrincipal } from '../../../kernel/principal.js';
import { EventTail } from '../../../platform/events/event-tail.js';
import type { SocketConnection } from '../../../platform/sockets/socket-connection.js';
import { SocketHub } from '../../../platform/sockets/socket-hub.js';
import { ConversationsService } from '../../conversations/index.js';
import { topics } from '../topics.js';
import { PresenceService } from './presence.service.js';

/** Visitors hear of the agents to whom their unresolved conversations are assigned, and of no other. */
@Injectable()
export class AssigneePresenceService implements OnModuleInit {
  private readonly logger = new Logger('presence');
  /** By socket, the last look that is under way: of two the later one holds. */
  private readonly looks = new WeakMap<SocketConnection, Promise<void>>();

  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
    private readonly conversations: ConversationsService,
    private readonly presence: PresenceService,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (!concernsAssignee(event)) return;
      const { contactId, channelId, conversationId } = event;
      const rooms = [
        ...(contactId && channelId ? [topics.contact(contactId, channelId)] : []),
        ...(conversationId ? [topics.visitorConversation(conversationId)] : []),
      ];
      for (const room of rooms) for (const connection of this.hub.listeners(room)) this.follow(connection);
    });
  }

  /** Looks whose presence a visitor's socket is to hear of now, and tells it of those who are new to it. */
  follow(connection: SocketConnection): void {
    const look = (this.looks.get(connection) ?? Promise.resolve())
      .then(() => this.look(connection))
      .catch((error: unknown) => this.logger.warn(`the agents of a visitor cannot be read: ${String(error)}`));
    this.looks.set(connection, look);
  }

  private async look(connection: SocketConnection): Promise<void> {
    const { conversationId, principal } = connection.admission;
    const ids = await this.conversations.findAssigneeIds(principal as VisitorPrincipal, conversationId);
    if (connection.closedAt !== null || !this.hub.connections.has(connection)) return;
    const present = ids.map(topics.servedBy);
    const former = [...connection.topics].filter(topic => topic.startsWith(topics.servedBy('')));
    for (const topic of former) if (!present.includes(topic)) this.hub.leave(connection, topic);
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

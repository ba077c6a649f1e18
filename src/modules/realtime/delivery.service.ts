import { Injectable, OnModuleInit } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { EventTail } from '../../platform/events/event-tail.js';
import { SocketHub } from '../../platform/sockets/socket-hub.js';
import type { EventRoute } from './event-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import { topics } from './topics.js';

/** Turns each committed event into frames: one serialisation per audience, none for rooms where nobody is. */
@Injectable()
export class DeliveryService implements OnModuleInit {
  constructor(
    private readonly tail: EventTail,
    private readonly hub: SocketHub,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => this.deliver(event));
  }

  private deliver<T extends EventType>(event: RecordedEvent<T>): void {
    const route: EventRoute<T> | undefined = EVENT_ROUTES[event.type];
    // an instance of another age may write events that this one does not know
    if (!route) return;
    const { agents, visitor, closes } = route;
    if (agents) this.send(agentRooms(event, agents), () => this.frame(event, agents.data(event)));
    if (visitor) this.send(visitorRooms(event), () => this.frame(event, visitor(event)));
    const ending = closes?.(event);
    if (ending) this.hub.close(ending.topic, ending.reason);
  }

  private send(rooms: string[], frame: () => Buffer | null): void {
    const heard = rooms.filter(room => this.hub.hears(room));
    if (heard.length === 0) return;
    const payload = frame();
    if (!payload) return;
    this.hub.broadcast(heard, payload);
  }

  private frame(event: RecordedEvent, data: object | null): Buffer | null {
    if (!data) return null;
    return Buffer.from(
      JSON.stringify({
        type: event.type,
        id: event.id,
        cursor: this.tail.cursor,
        timestamp: event.recordedAt,
        ...(event.conversationId ? { conversation_id: event.conversationId } : {}),
        ...(event.channelId ? { channel_id: event.channelId } : {}),
        data,
      }),
    );
  }
}

function agentRooms<T extends EventType>(
  event: RecordedEvent<T>,
  { room, channels }: NonNullable<EventRoute<T>['agents']>,
): string[] {
  const { workspaceId, channelId, conversationId } = event;
  if (room === 'workspace') return [topics.agents(workspaceId)];
  const own = channelId ? [channelId] : [];
  return [
    topics.inbox(workspaceId),
    ...(channels?.(event) ?? own).map(topics.channel),
    ...(room === 'conversation' && conversationId ? [topics.conversation(conversationId)] : []),
  ];
}

function visitorRooms({ contactId, channelId, conversationId }: RecordedEvent): string[] {
  return [
    ...(contactId && channelId ? [topics.contact(contactId, channelId)] : []),
    ...(conversationId ? [topics.visitorConversation(conversationId)] : []),
  ];
}

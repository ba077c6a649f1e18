import { Injectable } from '@nestjs/common';
import type { CloseReason } from '../../kernel/close-codes.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { AgentView } from '../../kernel/event-definition.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import type { Audience } from '../../kernel/serialized-frame.js';
import { topicOf, topics } from './topics.js';

/** One audience of an event: its topics, and the data that it receives; null where it receives nothing. */
export interface Delivery {
  topics: string[];
  data: () => object | null;
}

/** The sockets that an event closes. */
interface SocketClosure {
  topic: string;
  reason: CloseReason;
}

export interface EventDeliveries {
  agent?: Delivery;
  /** Agents who see some channels only, where they receive other data than those who see all. */
  scopedAgent?: Delivery;
  visitor?: Delivery;
  closes?: () => SocketClosure | null;
}

/** Decides by the registry of events who receives an event, live or replayed. */
@Injectable()
export class EventDeliveriesService {
  /** The types that each audience can receive at all. */
  readonly types: Record<Audience, readonly EventType[]>;

  constructor(private readonly registry: EventRegistry) {
    this.types = {
      agent: registry.typesWhere(({ agents }) => agents !== null),
      visitor: registry.typesWhere(({ visitor }) => visitor !== null),
    };
  }

  /** Nobody receives an event of another version of the service that has no definition here. */
  of<T extends EventType>(event: RecordedEvent<T>): EventDeliveries {
    const definition = this.registry.find(event.type);
    if (!definition) return {};
    const { agents, visitor, closes } = definition;
    return {
      ...(agents && agentDeliveries(event, agents)),
      ...(visitor && { visitor: { topics: visitorTopics(event), data: () => visitor.data(event) } }),
      ...(closes && { closes: () => closureOf(closes(event.payload)) }),
    };
  }
}

function closureOf(group: Parameters<typeof topicOf>[0] | null): SocketClosure | null {
  return group && { topic: topicOf(group), reason: group.reason };
}

/** The inbox of the workspace has sockets with scope `all` alone; data that others may not read stays in it. */
function agentDeliveries<T extends EventType>(
  event: RecordedEvent<T>,
  view: AgentView<T>,
): Pick<EventDeliveries, 'agent' | 'scopedAgent'> {
  const { workspaceId } = event;
  const { data, scopedData } = view;
  if (view.room === 'workspace') return { agent: { topics: [topics.agents(workspaceId)], data: () => data(event) } };
  const [inbox, scoped] = [topics.inbox(workspaceId), scopedTopics(event, view)];
  if (!scopedData) return { agent: { topics: [inbox, ...scoped], data: () => data(event) } };
  return {
    agent: { topics: [inbox], data: () => data(event) },
    scopedAgent: { topics: scoped, data: () => scopedData(event) },
  };
}

function scopedTopics<T extends EventType>(event: RecordedEvent<T>, { room, channels }: AgentView<T>): string[] {
  const { channelId, conversationId } = event;
  const eventChannels = channelId ? [channelId] : [];
  return [
    ...(channels?.(event) ?? eventChannels).map(topics.channel),
    ...(room === 'conversation' && conversationId ? [topics.conversation(conversationId)] : []),
  ];
}

function visitorTopics({ contactId, channelId, conversationId }: RecordedEvent): string[] {
  return [
    ...(contactId && channelId ? [topics.contact(contactId, channelId)] : []),
    ...(conversationId ? [topics.visitorConversation(conversationId)] : []),
  ];
}

import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { Audience, SerializedFrame } from '../../kernel/serialized-frame.js';
import type { ResumeFault } from '../../platform/events/event-reader.service.js';
import type { SocketClosure, EventRoute } from './event-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { topics } from './topics.js';

/** The delivery of an event to one audience: its topics and its data. Null data means no frame. */
export interface Delivery {
  topics: string[];
  data: () => object | null;
}

/** All deliveries of an event, and the sockets that it closes. */
export interface EventDeliveries {
  agent?: Delivery;
  /** The delivery to agents with limited scope, where their data differs. */
  scopedAgent?: Delivery;
  visitor?: Delivery;
  closes?: () => SocketClosure | null;
}

/** @returns the deliveries of an event, live or replayed; none for a type without a route, from another version */
export function getDeliveries<T extends EventType>(event: RecordedEvent<T>): EventDeliveries {
  const route: EventRoute<T> | undefined = EVENT_ROUTES[event.type];
  if (!route) return {};
  const { agents, visitor, closes } = route;
  return {
    ...(agents && agentDeliveries(event, agents)),
    ...(visitor && { visitor: { topics: visitorTopics(event), data: () => visitor(event) } }),
    ...(closes && { closes: () => closes(event) }),
  };
}

const ALL_TYPES = Object.keys(EVENT_ROUTES) as EventType[];

/** The event types that each audience can receive. */
export const DELIVERED_TYPES: Record<Audience, readonly EventType[]> = {
  agent: ALL_TYPES.filter(type => EVENT_ROUTES[type].agents !== null),
  visitor: ALL_TYPES.filter(type => EVENT_ROUTES[type].visitor !== null),
};

/** Builds the frame of a durable event. @param data for the audience */
export function eventFrame(event: RecordedEvent, data: object): EventFrame {
  return {
    type: event.type,
    id: event.id,
    timestamp: event.recordedAt,
    ...(event.conversationId ? { conversation_id: event.conversationId } : {}),
    ...(event.channelId ? { channel_id: event.channelId } : {}),
    data,
  };
}

export interface EventFrame {
  type: string;
  id: string;
  timestamp: string;
  conversation_id?: string;
  channel_id?: string;
  data: object;
}

/** @param cursor the recipient's position in the log, which is not the event's position */
export function serializeFrame(frame: EventFrame, cursor: string): SerializedFrame {
  const { type, id, ...rest } = frame;
  return JSON.stringify({ type, id, cursor, ...rest }) as SerializedFrame;
}

/** Tells a client that missed events cannot be replayed, so that it reads the current state. */
export function syncRequired(reason: ResumeFault | 'scope' | 'busy'): SerializedFrame {
  return ephemeralFrame('sync.required', { reason });
}

type AgentRoute<T extends EventType> = NonNullable<EventRoute<T>['agents']>;

/** Delivers to the inbox topic, which only sockets with scope `all` join, and to the topics of scoped agents. */
function agentDeliveries<T extends EventType>(
  event: RecordedEvent<T>,
  route: AgentRoute<T>,
): Pick<EventDeliveries, 'agent' | 'scopedAgent'> {
  const { workspaceId } = event;
  const { data, scopedData } = route;
  if (route.room === 'workspace') return { agent: { topics: [topics.agents(workspaceId)], data: () => data(event) } };
  const [inbox, scoped] = [topics.inbox(workspaceId), scopedTopics(event, route)];
  if (!scopedData) return { agent: { topics: [inbox, ...scoped], data: () => data(event) } };
  return {
    agent: { topics: [inbox], data: () => data(event) },
    scopedAgent: { topics: scoped, data: () => scopedData(event) },
  };
}

function scopedTopics<T extends EventType>(event: RecordedEvent<T>, { room, channels }: AgentRoute<T>): string[] {
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

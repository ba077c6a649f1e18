import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { Audience, SerializedFrame } from '../../kernel/serialized-frame.js';
import type { ResumeFault } from '../../platform/events/event-reader.service.js';
import type { SocketClosure, EventRoute } from './event-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { topics } from './topics.js';

/** One audience of an event: the topics in which it is heard, and what is said there; null where nothing is. */
export interface Delivery {
  topics: string[];
  data: () => object | null;
}

/** What an event leads to: who hears of it, and which sockets it ends. */
export interface EventDeliveries {
  agent?: Delivery;
  /** Agents of some channels, where they get other data than those of all. */
  scopedAgent?: Delivery;
  visitor?: Delivery;
  closes?: () => SocketClosure | null;
}

/** Who hears an event, live or replayed. Of an event of another age, which has no route here, nobody. */
export function deliveriesOf<T extends EventType>(event: RecordedEvent<T>): EventDeliveries {
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

/** The types that each audience can hear of at all. */
export const DELIVERED_TYPES: Record<Audience, readonly EventType[]> = {
  agent: ALL_TYPES.filter(type => EVENT_ROUTES[type].agents !== null),
  visitor: ALL_TYPES.filter(type => EVENT_ROUTES[type].visitor !== null),
};

/** A durable event, one frame; what all frames of the event have in common, and what this audience is told. */
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

/** @param cursor how far whoever hears this has come in the log; not how far the event is */
export function serializeFrame(frame: EventFrame, cursor: string): SerializedFrame {
  const { type, id, ...rest } = frame;
  return JSON.stringify({ type, id, cursor, ...rest }) as SerializedFrame;
}

/** What was missed cannot be told; the client reads the present state. */
export function syncRequired(reason: ResumeFault | 'scope' | 'busy'): SerializedFrame {
  return ephemeralFrame('sync.required', { reason });
}

type AgentRoute<T extends EventType> = NonNullable<EventRoute<T>['agents']>;

/** The inbox of the workspace has sockets with scope `all` alone; what others may not read stays in it. */
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
  const own = channelId ? [channelId] : [];
  return [
    ...(channels?.(event) ?? own).map(topics.channel),
    ...(room === 'conversation' && conversationId ? [topics.conversation(conversationId)] : []),
  ];
}

function visitorTopics({ contactId, channelId, conversationId }: RecordedEvent): string[] {
  return [
    ...(contactId && channelId ? [topics.contact(contactId, channelId)] : []),
    ...(conversationId ? [topics.visitorConversation(conversationId)] : []),
  ];
}

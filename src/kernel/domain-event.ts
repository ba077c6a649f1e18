/**
 * Event payloads by event type. Each module adds its own through declaration merging in `x.events.ts`, so the compiler
 * knows the whole list: recording an undeclared event, or declaring one without a route to sockets, does not compile.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by the modules
export interface DomainEvents {}

export type EventType = keyof DomainEvents & string;

/** The author of an event. `id` is null for the system. */
export interface Actor {
  type: 'member' | 'contact' | 'bot' | 'api_key' | 'system';
  id: string | null;
}

/** The records that an event belongs to. Each consumer filters by them. */
export interface EventScope {
  workspaceId: string;
  channelId?: string | null;
  conversationId?: string | null;
  contactId?: string | null;
}

/** An event to be recorded. Its payload is a snapshot, so that a replay shows the state at that time. */
export interface NewEvent<T extends EventType = EventType> extends EventScope {
  type: T;
  payload: DomainEvents[T];
  actor: Actor;
}

/** An event in the log. `xid` is the id of the writing transaction, as text; `position` orders within it. */
export interface RecordedEvent<T extends EventType = EventType> {
  id: string;
  type: T;
  workspaceId: string;
  channelId: string | null;
  conversationId: string | null;
  contactId: string | null;
  actor: Actor;
  payload: DomainEvents[T];
  payloadVersion: number;
  /** Id of the request that caused it; null for events without a request. */
  requestId: string | null;
  /** A wire time, so that an event is always a JSON value. */
  recordedAt: string;
  xid: string;
  position: string;
}

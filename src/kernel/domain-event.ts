/**
 * What can happen, by type. Each module adds its own through declaration merging in `x.events.ts`, so the whole list
 * is known to the compiler: recording an undeclared event, or declaring one without deciding who hears it, is an error.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by the modules
export interface DomainEvents {}

export type EventType = keyof DomainEvents & string;

/** Who did it. `name` is what a reader of the timeline or the audit log sees. */
export interface Actor {
  type: 'member' | 'contact' | 'bot' | 'api_key' | 'system';
  id: string | null;
}

/** Where an event belongs; what each reader filters by. */
export interface EventScope {
  workspaceId: string;
  channelId?: string | null;
  conversationId?: string | null;
  contactId?: string | null;
}

/** An event as a service records it: the payload is a snapshot, so that replay shows what was true then. */
export interface NewEvent<T extends EventType = EventType> extends EventScope {
  type: T;
  payload: DomainEvents[T];
  actor: Actor;
}

/** An event as the log keeps it. `xid` is the writing transaction's, as text; `position` orders within it. */
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
  /** Of the request that did it; null for what happened by itself. */
  requestId: string | null;
  /** A wire time, so that an event is a JSON value everywhere. */
  recordedAt: string;
  xid: string;
  position: string;
}

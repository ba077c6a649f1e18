import type { AuditSubject } from './audit-subject.js';
import type { DomainEvents, EventType, RecordedEvent } from './domain-event.js';
import type { ScrubFields } from './scrub.js';
import type { SocketGroup } from './socket-group.js';

/** The rooms of agents that receive an event: of its conversation and channel, of its channels, or of the workspace. */
export type AgentRoom = 'conversation' | 'channel' | 'workspace';

export interface AgentView<T extends EventType> {
  room: AgentRoom;
  /** The name of the data's schema in the API reference. */
  shape: string;
  data: (event: RecordedEvent<T>) => object;
  /** For agents that see some channels only; absent where they get the same. */
  scopedData?: (event: RecordedEvent<T>) => object;
  /** The type is also one of ephemeral frames, about what only the socket's member sees. */
  alsoEphemeral?: true;
  /** The channels that the event belongs to; absent where it is the event's own. */
  channels?: (event: RecordedEvent<T>) => readonly string[];
}

interface VisitorView<T extends EventType> {
  shape: string;
  /** @returns null where visitors receive nothing of this one: a private note stays among agents */
  data: (event: RecordedEvent<T>) => object | null;
}

/** Payloads that tell of contacts or conversations: there, each field needs a decision. */
type ConcernsPerson = `${'message' | 'conversation' | 'contact'}.${string}`;

/**
 * All that the service knows of one type of event. The module that records it declares it once, in `x.events.ts`;
 * sockets, replay, the audit log, erasure, webhooks and the generated documents read it from here.
 */
export interface EventDefinition<T extends EventType> {
  /** When it happens, in one sentence, for the reference. */
  summary: string;
  /** The version of the payload's shape in the log; absent means 1. */
  version?: number;
  /** null: agents' sockets receive nothing. */
  agents: AgentView<T> | null;
  visitor: VisitorView<T> | null;
  /**
   * The data for a webhook without `include_private`; with it, a webhook gets the agents' data. Absent: not offered to
   * webhooks. @returns null where nothing of this event is public
   */
  public?: (event: RecordedEvent<T>) => object | null;
  /** The public data for a webhook that is limited to some channels; absent where it is the same. */
  scopedPublic?: (event: RecordedEvent<T>) => object | null;
  /** The subject of its entry in the audit log; null: no entry. */
  audit: ((payload: DomainEvents[T]) => AuditSubject) | null;
  /** The sockets that it closes; absent: none. */
  closes?: (payload: DomainEvents[T]) => SocketGroup | null;
  /** The scrubbing of the payload, field by field. */
  personal: T extends ConcernsPerson ? ScrubFields<DomainEvents[T]> : 'none' | ScrubFields<DomainEvents[T]>;
}

/** The definitions of some types of events, by type. */
export type EventDefinitions<T extends EventType> = { readonly [K in T]: EventDefinition<K> };

/** The version of the payload's shape. */
export function payloadVersionOf({ version = 1 }: { version?: number }): number {
  return version;
}

/** The payload as it is: what agents get of most records. */
export function wholePayload<T extends EventType>({ payload }: RecordedEvent<T>): object {
  return payload;
}

/** The views of a record that all agents of the workspace, and webhooks, get whole. */
export function workspaceRecord<T extends EventType>(
  shape: string,
): Pick<EventDefinition<T>, 'agents' | 'visitor' | 'public'> {
  return { agents: { room: 'workspace', shape, data: wholePayload }, visitor: null, public: wholePayload };
}

/** An event that is recorded and seen on no socket. */
export const NOT_SENT = { agents: null, visitor: null } as const;

/** An entry of the audit log about the payload's own subject. */
export function auditedAs(type: AuditSubject['type']): (payload: { id: string }) => AuditSubject {
  return ({ id }) => ({ type, id });
}

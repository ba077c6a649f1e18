import type { components } from './generated/openapi.js';
import type { AgentEphemeralData, AgentEventData, VisitorEphemeralData, VisitorEventData } from './generated/frames.js';
import type { ContactSummaryView, ConversationView, EventPageView, EventView, WireTime } from './types.js';

/**
 * A frame of the service. Only frames of logged events have an `id` and a `cursor`; ephemeral ones (typing) have none.
 */
export interface Frame<T extends string = string, D = unknown> {
  type: T;
  id?: string;
  cursor?: string;
  timestamp?: WireTime;
  conversation_id?: string;
  channel_id?: string;
  data: D;
}

/** Response to a client frame that the service could not process. */
export interface ErrorFrame {
  type: 'error';
  error: components['schemas']['FrameError'];
}

/** Members of `Better` replace those of the generated `Data`: where the SDK knows a type more exactly. */
type Refine<Data, Better> = Omit<Data, keyof Better> & Better;

interface ExactEphemeralData {
  typing: Required<TypingData>;
  'typing.stop': Omit<TypingData, 'expires_in_ms'>;
}
type TypingData = components['schemas']['TypingData'];

/** Old and new value by field. */
type Changes = Record<string, { from: unknown; to: unknown }>;

interface ExactAgentEventData {
  'conversation.created': { conversation: Omit<ConversationView, 'contact'>; contact: ContactSummaryView };
  'conversation.updated': Omit<AgentEventData['conversation.updated'], 'changes'> & { changes: Changes };
}

type AgentEvents = Refine<AgentEventData, ExactAgentEventData>;
type AgentPayloads = AgentEvents & Refine<AgentEphemeralData, ExactEphemeralData>;
type VisitorPayloads = VisitorEventData & Refine<VisitorEphemeralData, ExactEphemeralData>;

type FramesOf<P> = { [T in keyof P & string]: Frame<T, P[T]> } & { error: ErrorFrame };

/** Frames of `/ws/agent`, by type. */
export type AgentFrames = FramesOf<AgentPayloads>;
/** Frames of `/ws/visitor`, by type: only public data, in the visitor's view. */
export type VisitorFrames = FramesOf<VisitorPayloads>;

export type ServerEventType = keyof AgentEvents & string;

/** A durable event; `type` narrows `data`. A newer service may send types that are not listed here. */
export type ServerEvent = {
  [T in ServerEventType]: Omit<EventView, 'type' | 'data'> & { type: T; data: AgentEvents[T] };
}[ServerEventType];

export interface ServerEventPage extends Omit<EventPageView, 'items'> {
  items: ServerEvent[];
}

/** Frames that a client may send. */
export type ClientFrame =
  | { type: 'ping' | 'presence.heartbeat' }
  | { type: 'typing'; conversation_id: string; private?: boolean }
  | { type: 'typing.stop'; conversation_id: string }
  | { type: 'viewing'; conversation_id: string | null }
  | { type: 'page'; url: string; title?: string | undefined }
  | { type: 'auth'; token: string };

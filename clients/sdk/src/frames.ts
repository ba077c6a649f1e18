import type { components } from './generated/openapi.js';
import type {
  BotView,
  CannedResponseView,
  ChannelView,
  ContactSummaryView,
  ContactView,
  ConversationView,
  EventPageView,
  EventView,
  MemberView,
  WireTime,
  WorkspaceView,
} from './types.js';

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

type Schemas = components['schemas'];

/** Data of frames on both routes, by type. */
interface SharedPayloads {
  connected: Schemas['ConnectedData'];
  pong: unknown;
  'message.created': Schemas['MessageCreatedData'];
  'message.updated': Schemas['MessageChangedData'];
  'message.deleted': Schemas['MessageChangedData'];
  'conversation.read': Schemas['ConversationReadData'];
  typing: Required<Schemas['TypingData']>;
  'typing.stop': Omit<Schemas['TypingData'], 'expires_in_ms'>;
  /** Presence of a member or contact. An inbox receives everyone who is online when it connects. */
  'presence.updated': Schemas['PresenceData'];
  /** End of a replay. */
  resumed: Schemas['ResumedData'];
  /** The service cannot replay the missed events: reload the current state. */
  'sync.required': Schemas['SyncRequiredData'];
  'token.expiring': Schemas['TokenExpiringData'];
  /** Expiry of the token that an `auth` sent. */
  authenticated: Schemas['AuthenticatedData'];
}

/** Old and new value by field. */
type Changes = Record<string, { from: unknown; to: unknown }>;

interface AgentPayloads extends SharedPayloads {
  'conversation.created': { conversation: Omit<ConversationView, 'contact'>; contact: ContactSummaryView };
  'conversation.updated': Omit<Schemas['ConversationUpdatedData'], 'changes'> & { changes: Changes };
  /** Members who have the conversation open. */
  'viewing.updated': Schemas['ViewingData'];
  'contact.updated': ContactView;
  /** A contact was merged into another one. */
  'contact.merged': Schemas['ContactMergedData'];
  /** A person was erased: delete your copy of the contact and its conversations. */
  'contact.deleted': Schemas['ContactDeletedData'];
  'member.created': MemberView;
  'member.updated': MemberView;
  'bot.created': BotView;
  'bot.updated': BotView;
  'bot.deleted': BotView;
  'channel.created': ChannelView;
  'channel.updated': ChannelView;
  'channel.deleted': ChannelView;
  'canned_response.created': CannedResponseView;
  'canned_response.updated': CannedResponseView;
  'canned_response.deleted': CannedResponseView;
  'workspace.updated': WorkspaceView;
}

interface VisitorPayloads extends SharedPayloads {
  'conversation.created': Schemas['VisitorConversationCreatedData'];
  'conversation.updated': Schemas['VisitorConversationUpdatedData'];
}

type FramesOf<P> = { [T in keyof P & string]: Frame<T, P[T]> } & { error: ErrorFrame };

/** Frames of `/ws/agent`, by type. */
export type AgentFrames = FramesOf<AgentPayloads>;
/** Frames of `/ws/visitor`, by type: only public data, in the visitor's view. */
export type VisitorFrames = FramesOf<VisitorPayloads>;

/** Frames that the event log does not contain. */
type EphemeralType =
  | 'connected'
  | 'pong'
  | 'typing'
  | 'typing.stop'
  | 'presence.updated'
  | 'viewing.updated'
  | 'resumed'
  | 'sync.required'
  | 'token.expiring'
  | 'authenticated';

export type ServerEventType = Exclude<keyof AgentPayloads & string, EphemeralType>;

/** A durable event; `type` narrows `data`. A newer service may send types that are not listed here. */
export type ServerEvent = {
  [T in ServerEventType]: Omit<EventView, 'type' | 'data'> & { type: T; data: AgentPayloads[T] };
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
  | { type: 'auth'; token: string };

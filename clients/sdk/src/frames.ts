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

/** A frame of the service. Only what is in the event log has an `id` and a `cursor`; typing and presence pass by. */
export interface Frame<T extends string = string, D = unknown> {
  type: T;
  id?: string;
  cursor?: string;
  timestamp?: WireTime;
  conversation_id?: string;
  channel_id?: string;
  data: D;
}

/** The service's answer to a frame of ours that it could not serve. */
export interface ErrorFrame {
  type: 'error';
  error: components['schemas']['FrameError'];
}

type Schemas = components['schemas'];

/** What the frames of both addresses carry. */
interface SharedPayloads {
  connected: Schemas['ConnectedData'];
  pong: unknown;
  'message.created': Schemas['MessageCreatedData'];
  'message.updated': Schemas['MessageChangedData'];
  'message.deleted': Schemas['MessageChangedData'];
  'conversation.read': Schemas['ConversationReadData'];
  typing: Required<Schemas['TypingData']>;
  'typing.stop': Omit<Schemas['TypingData'], 'expires_in_ms'>;
  /** Who is there; told again when an inbox opens, of everyone who is. */
  'presence.updated': Schemas['PresenceData'];
  /** What was missed has been told again. */
  resumed: Schemas['ResumedData'];
  /** What was missed cannot be told again: read what is on the screen anew. */
  'sync.required': Schemas['SyncRequiredData'];
  'token.expiring': Schemas['TokenExpiringData'];
  /** Until when the token of an `auth` holds. */
  authenticated: Schemas['AuthenticatedData'];
}

/** By field: what changed. */
type Changes = Record<string, { from: unknown; to: unknown }>;

interface AgentPayloads extends SharedPayloads {
  'conversation.created': { conversation: Omit<ConversationView, 'contact'>; contact: ContactSummaryView };
  'conversation.updated': Omit<Schemas['ConversationUpdatedData'], 'changes'> & { changes: Changes };
  /** The members who have the conversation before them. */
  'viewing.updated': Schemas['ViewingData'];
  'contact.updated': ContactView;
  /** A contact has become part of another one. */
  'contact.merged': Schemas['ContactMergedData'];
  /** A person has been erased: forget what you hold of it. */
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

/** The frames of `/ws/agent`, by type. */
export type AgentFrames = FramesOf<AgentPayloads>;
/** The frames of `/ws/visitor`, by type: public ones, in the visitor's view. */
export type VisitorFrames = FramesOf<VisitorPayloads>;

/** Frames of the moment: they are in no event log. */
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

/** A durable event; `type` says which, and narrows `data`. A newer service may send types that are not listed here. */
export type ServerEvent = {
  [T in ServerEventType]: Omit<EventView, 'type' | 'data'> & { type: T; data: AgentPayloads[T] };
}[ServerEventType];

export interface ServerEventPage extends Omit<EventPageView, 'items'> {
  items: ServerEvent[];
}

/** What a client may say. */
export type ClientFrame =
  | { type: 'ping' | 'presence.heartbeat' }
  | { type: 'typing'; conversation_id: string; private?: boolean }
  | { type: 'typing.stop'; conversation_id: string }
  | { type: 'viewing'; conversation_id: string | null }
  | { type: 'auth'; token: string };

import type {
  Availability,
  CannedResponseView,
  ChannelView,
  ActorView,
  ContactSummaryView,
  ContactView,
  ConversationStatus,
  ConversationView,
  MemberView,
  MessageView,
  SenderType,
  UnreadView,
  VisitorConversationView,
  VisitorMessageView,
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
  error: { code: string; message: string };
}

/** What the frames of both addresses carry; `M` is the audience's view of a message. */
interface SharedPayloads<M> {
  connected: {
    connection_id: string;
    room: string;
    cursor: string | null;
    ping_interval_ms: number;
    pong_wait_ms: number;
    server_time: WireTime;
  };
  pong: unknown;
  'message.created': {
    message: M;
    conversation: {
      id: string;
      status: ConversationStatus;
      last_seq: number;
      unread: UnreadView;
      last_activity_at: WireTime;
    };
  };
  'message.updated': { message: M };
  'message.deleted': { message: M };
  'conversation.read': { id: string; reader: 'agents' | 'contact'; last_read_seq: number };
  typing: {
    conversation_id: string;
    sender_type: SenderType;
    sender_id: string;
    name: string | null;
    expires_in_ms: number;
  };
  'typing.stop': { conversation_id: string; sender_type: SenderType; sender_id: string; name: string | null };
  'presence.updated': {
    subject_type: 'member' | 'contact';
    subject_id: string;
    status: Availability;
    last_seen_at: WireTime | null;
  };
  /** What was missed has been told again. */
  resumed: { from: string; to: string; count: number };
  /** What was missed cannot be told again: read what is on the screen anew. */
  'sync.required': { reason: string };
  'token.expiring': { in_seconds: number };
}

type Changes = Record<string, { from: unknown; to: unknown }>;

interface AgentPayloads extends SharedPayloads<MessageView> {
  'conversation.created': { conversation: Omit<ConversationView, 'contact'>; contact: ContactSummaryView };
  'conversation.updated': { id: string; changes: Changes; version: number; actor: ActorView };
  'viewing.updated': { conversation_id: string; members: string[] };
  'contact.updated': ContactView;
  'member.created': MemberView;
  'member.updated': MemberView;
  'channel.created': ChannelView;
  'channel.updated': ChannelView;
  'channel.deleted': ChannelView;
  'canned_response.created': CannedResponseView;
  'canned_response.updated': CannedResponseView;
  'canned_response.deleted': CannedResponseView;
  'workspace.updated': WorkspaceView;
}

interface VisitorPayloads extends SharedPayloads<VisitorMessageView> {
  'conversation.created': { conversation: VisitorConversationView };
  'conversation.updated': { id: string; changes: Changes };
}

type FramesOf<P> = { [T in keyof P & string]: Frame<T, P[T]> } & { error: ErrorFrame };

/** The frames of `/ws/agent`, by type. */
export type AgentFrames = FramesOf<AgentPayloads>;
/** The frames of `/ws/visitor`, by type: public ones, in the visitor's view. */
export type VisitorFrames = FramesOf<VisitorPayloads>;

/** What a client may say. */
export type ClientFrame =
  | { type: 'ping' | 'presence.heartbeat' }
  | { type: 'typing'; conversation_id: string; private?: boolean }
  | { type: 'typing.stop'; conversation_id: string }
  | { type: 'viewing'; conversation_id: string | null }
  | { type: 'auth'; token: string };

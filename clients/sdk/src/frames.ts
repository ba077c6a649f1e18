import type {
  Availability,
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

/** What each frame carries. `M` and `C` are the audience's views of a message and of a conversation. */
interface Payloads<M, C> {
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
  'conversation.created': { conversation: C; contact: ContactSummaryView };
  'conversation.updated': {
    id: string;
    changes: Record<string, { from: unknown; to: unknown }>;
    version: number;
    actor: ActorView;
  };
  'conversation.read': { id: string; reader: 'agents' | 'contact'; last_read_seq: number };
  typing: {
    conversation_id: string;
    sender_type: SenderType;
    sender_id: string;
    name: string | null;
    expires_in_ms: number;
  };
  'typing.stop': { conversation_id: string; sender_type: SenderType; sender_id: string };
  'presence.updated': {
    subject_type: 'member' | 'contact';
    subject_id: string;
    status: Availability;
    last_seen_at: WireTime | null;
  };
  'viewing.updated': { conversation_id: string; members: string[] };
  'contact.updated': { contact: ContactView };
  'member.updated': { member: MemberView };
  'channel.updated': { channel: ChannelView };
  /** What was missed has been told again. */
  resumed: { from: string; to: string; count: number };
  /** What was missed cannot be told again: read what is on the screen anew. */
  'sync.required': { reason: string };
  'token.expiring': { in_seconds: number };
}

type FramesOf<P> = { [T in keyof P & string]: Frame<T, P[T]> } & { error: ErrorFrame };

/** The frames of `/ws/agent`, by type. */
export type AgentFrames = FramesOf<Payloads<MessageView, ConversationView>>;
/** The frames of `/ws/visitor`, by type: public ones, in the visitor's view. */
export type VisitorFrames = FramesOf<Payloads<VisitorMessageView, VisitorConversationView>>;

/** What a client may say. */
export type ClientFrame =
  | { type: 'ping' | 'presence.heartbeat' }
  | { type: 'typing'; conversation_id: string; private?: boolean }
  | { type: 'typing.stop'; conversation_id: string }
  | { type: 'viewing'; conversation_id: string | null }
  | { type: 'auth'; token: string };

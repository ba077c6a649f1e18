import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type {} from '../api-keys/index.js';
import type {} from '../auth/index.js';
import type {} from '../bots/index.js';
import type {} from '../canned-responses/index.js';
import { withoutSecretId } from '../contacts/index.js';
import type {
  ConversationCreated,
  ConversationProgress,
  ConversationRead,
  ConversationUpdated,
  MessageChanged,
  MessageCreated,
} from '../conversations/index.js';
import type {} from '../invites/index.js';
import type { CloseReason } from '../../kernel/close-codes.js';
import { topics } from './topics.js';

/** The agents who receive an event: those who see the conversation, those who see a channel, or the whole workspace. */
export type AgentRoom = 'conversation' | 'channel' | 'workspace';

/**
 * Defines who receives an event, with which data, and which sockets it closes. `null` delivers nothing to the audience:
 * for visitors it keeps private notes private, for agents it marks events that are only logged.
 */
export interface EventRoute<T extends EventType> {
  agents: {
    room: AgentRoom;
    data: (event: RecordedEvent<T>) => object;
    /** The data for agents with limited scope, where it differs. */
    scopedData?: (event: RecordedEvent<T>) => object;
    /** The channels of the event, where they are not its `channelId`. */
    channels?: (event: RecordedEvent<T>) => readonly string[];
  } | null;
  visitor: ((event: RecordedEvent<T>) => object | null) | null;
  closes?: (event: RecordedEvent<T>) => SocketClosure | null;
}

/** The sockets that an event closes. */
export interface SocketClosure {
  topic: string;
  reason: CloseReason;
}

const fullPayload = <T extends EventType>(event: RecordedEvent<T>): object => event.payload;

/** The routes of all event types. An event type without a route does not compile. */
export const EVENT_ROUTES: { [T in EventType]: EventRoute<T> } = {
  'message.created': {
    agents: { room: 'conversation', data: ({ payload }) => agentMessage(payload) },
    visitor: ({ payload }) => visitorMessage(payload),
  },
  'message.updated': {
    agents: { room: 'conversation', data: fullPayload },
    visitor: ({ payload }) => publicOnly(payload),
  },
  'message.deleted': {
    agents: { room: 'conversation', data: fullPayload },
    visitor: ({ payload }) => publicOnly(payload),
  },
  'conversation.created': {
    agents: { room: 'conversation', data: ({ payload }) => agentConversation(payload) },
    visitor: ({ payload }) => ({ conversation: payload.visitor }),
  },
  'conversation.updated': {
    agents: { room: 'conversation', data: ({ payload }) => agentUpdate(payload) },
    visitor: ({ payload }) => visitorUpdate(payload),
  },
  'conversation.read': {
    agents: { room: 'conversation', data: ({ payload }) => agentRead(payload) },
    visitor: ({ payload }) => visitorRead(payload),
  },
  'contact.created': { agents: null, visitor: null },
  'contact.updated': {
    agents: {
      room: 'channel',
      data: ({ payload }) => payload.contact,
      scopedData: ({ payload }) => withoutSecretId(payload.contact),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    closes: ({ payload }) => closeTokens(payload.contact.id, payload.refused_generation),
  },
  'contact.merged': {
    agents: {
      room: 'channel',
      data: ({ payload: { id, into_id } }) => ({ id, into_id }),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    closes: ({ payload }) => closeTokens(payload.id, payload.refused_generation),
  },
  'contact.deleted': {
    agents: {
      room: 'channel',
      data: ({ payload: { id } }) => ({ id }),
      channels: ({ payload }) => payload.channel_ids,
    },
    visitor: null,
    closes: ({ payload }) => closeTokens(payload.id, payload.refused_generation),
  },
  'contact.blocked': { agents: null, visitor: null },
  'contact.unblocked': { agents: null, visitor: null },
  'contact.erased': { agents: null, visitor: null },
  'contact.exported': { agents: null, visitor: null },
  'member.created': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'member.updated': { agents: { room: 'workspace', data: ({ payload }) => payload.member }, visitor: null },
  'bot.created': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'bot.updated': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'bot.deleted': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'bot.secret_rotated': { agents: null, visitor: null },
  'channel.created': { agents: { room: 'channel', data: fullPayload }, visitor: null },
  'channel.updated': {
    agents: { room: 'channel', data: fullPayload },
    visitor: null,
    closes: ({ payload }) => (payload.status === 'disabled' ? closeVisitors(payload.id) : null),
  },
  'channel.deleted': {
    agents: { room: 'channel', data: fullPayload },
    visitor: null,
    closes: ({ payload }) => closeVisitors(payload.id),
  },
  'channel.tokens_refused': {
    agents: null,
    visitor: null,
    closes: ({ payload: { id, kind, generation } }) => ({
      topic: topics.channelTokens(id, kind, generation),
      reason: 'accessRevoked',
    }),
  },
  'channel.secret_rotated': { agents: null, visitor: null },
  'canned_response.created': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'canned_response.updated': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'canned_response.deleted': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'workspace.created': { agents: null, visitor: null },
  'workspace.updated': { agents: { room: 'workspace', data: fullPayload }, visitor: null },
  'api_key.created': { agents: null, visitor: null },
  'api_key.revoked': { agents: null, visitor: null },
  'api_key.refused': { agents: null, visitor: null },
  'session.started': { agents: null, visitor: null },
  'session.ended': {
    agents: null,
    visitor: null,
    closes: ({ payload }) => ({
      topic: topics.session(payload.session_id),
      reason: payload.reason === 'member_deactivated' ? 'memberDeactivated' : 'accessRevoked',
    }),
  },
  'session.refused': { agents: null, visitor: null },
  'password.changed': { agents: null, visitor: null },
  'password.reset': { agents: null, visitor: null },
  'password.reset_requested': { agents: null, visitor: null },
  'invite.created': { agents: null, visitor: null },
  'invite.renewed': { agents: null, visitor: null },
  'invite.revoked': { agents: null, visitor: null },
  'invite.accepted': { agents: null, visitor: null },
  'sso_ticket.issued': { agents: null, visitor: null },
};

/** Closes the sockets of all visitors of a disabled or deleted channel. */
function closeVisitors(channelId: string): SocketClosure {
  return { topic: topics.channelVisitors(channelId), reason: 'accessRevoked' };
}

/** Closes the sockets of a visitor whose tokens are refused. Events of older versions have no generation. */
function closeTokens(contactId: string, generation: number | null | undefined): SocketClosure | null {
  return typeof generation === 'number'
    ? { topic: topics.visitorTokens(contactId, generation), reason: 'accessRevoked' }
    : null;
}

function agentMessage({ message, conversation }: MessageCreated): object {
  const { id, status, last_seq, unread, last_activity_at } = conversation;
  return { message, conversation: { id, status, last_seq, unread, last_activity_at } };
}

function visitorMessage({ message, conversation }: MessageCreated): object | null {
  return message.private ? null : { message, conversation: visitorProgress(conversation) };
}

function visitorProgress(progress: ConversationProgress): object {
  const { id, status, last_public_seq, unread, last_public_activity_at } = progress;
  return { id, status, last_seq: last_public_seq, unread, last_activity_at: last_public_activity_at };
}

function publicOnly(payload: MessageChanged): object | null {
  return payload.message.private ? null : payload;
}

function agentConversation({ conversation, contact }: ConversationCreated): object {
  return { conversation, contact };
}

function agentUpdate({ id, changes, version, actor }: ConversationUpdated): object {
  return { id, changes, version, actor };
}

function agentRead({ id, reader, last_read_seq }: ConversationRead): object {
  return { id, reader, last_read_seq };
}

/** @returns null for a read mark on a private note, which would reveal the note */
function visitorRead({ id, reader, last_public_read_seq }: ConversationRead): object | null {
  return last_public_read_seq === null ? null : { id, reader, last_read_seq: last_public_read_seq };
}

/** Visitors see changes of the status, the assignee and their own rating only. */
function visitorUpdate({ id, changes, assignee }: ConversationUpdated): object | null {
  const { status, csat } = changes;
  const seen = {
    ...(status ? { status } : {}),
    ...(csat ? { csat } : {}),
    ...(assignee ? { assignee } : {}),
  };
  return Object.keys(seen).length === 0 ? null : { id, changes: seen };
}

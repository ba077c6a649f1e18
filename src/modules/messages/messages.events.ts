import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { EventDefinition, EventDefinitions } from '../../kernel/event-definition.js';
import { payloadVersionOf } from '../../kernel/event-definition.js';
import type { Status, Unread } from '../conversations/index.js';
import { toVisitorStatus } from '../conversations/index.js';
import type { MessageRecord } from './message.js';
import { MESSAGE_FIELDS } from './message.js';

/** Fields of the conversation that each message changes, for agents and for the visitor. */
export interface ConversationProgress {
  id: string;
  status: Status;
  last_seq: number;
  last_public_seq: number;
  unread: Unread;
  last_activity_at: string;
  /** Like `last_activity_at`, for public messages only. */
  last_public_activity_at: string;
}

/** The state that reports count with a first response, resolve, reopening or rating. Plain messages have none. */
export interface MessageFacts {
  /** The member whom it counts for. */
  member_id: string | null;
  tag_ids: string[];
  /** Since when the contact waited for this first response. */
  asked_at?: string;
  score?: number;
  rated_at?: string;
}

export interface MessageCreated {
  message: MessageRecord;
  conversation: ConversationProgress;
  facts?: MessageFacts;
}

/** An edited or deleted message. After deletion content, attachments and metadata are empty. */
export interface MessageChanged {
  message: MessageRecord;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'message.created': MessageCreated;
    'message.updated': MessageChanged;
    'message.deleted': MessageChanged;
  }
}

type MessageEvent = 'message.created' | 'message.updated' | 'message.deleted';

export const MESSAGE_EVENTS: EventDefinitions<MessageEvent> = {
  'message.created': {
    summary: 'A message was sent.',
    agents: { room: 'conversation', shape: 'MessageCreatedData', data: ({ payload }) => agentMessage(payload) },
    visitor: { shape: 'MessageCreatedData', data: ({ payload }) => visitorMessage(payload) },
    public: ({ payload }) => publicMessage(payload),
    audit: null,
    personal: { message: MESSAGE_FIELDS, conversation: 'kept', facts: 'kept' },
  },
  'message.updated': {
    summary: 'A message was edited.',
    ...changedMessage(),
    audit: null,
    personal: { message: MESSAGE_FIELDS },
  },
  'message.deleted': {
    summary: 'A message was unsent.',
    ...changedMessage(),
    audit: null,
    personal: { message: MESSAGE_FIELDS },
  },
};

export const MESSAGE_CREATED_VERSION = payloadVersionOf(MESSAGE_EVENTS['message.created']);

function changedMessage<T extends 'message.updated' | 'message.deleted'>(): Pick<
  EventDefinition<T>,
  'agents' | 'visitor' | 'public'
> {
  const all = ({ payload }: RecordedEvent<T>): object => ({ ...payload, message: withAvatar(payload.message) });
  const data = (event: RecordedEvent<T>): object | null => (event.payload.message.private ? null : all(event));
  return {
    agents: { room: 'conversation', shape: 'MessageChangedData', data: all },
    visitor: { shape: 'MessageChangedData', data },
    public: data,
  };
}

/**
 * Adds `sender_avatar_url` as null to messages that were logged without it: by an older release, or by an instance of
 * it during a rolling update. The field is optional in the log, so the payload's version stays 1.
 */
function withAvatar(message: MessageRecord): MessageRecord {
  return { ...message, sender_avatar_url: message.sender_avatar_url ?? null };
}

function agentMessage({ message, conversation }: MessageCreated): object {
  const { id, status, last_seq, unread, last_activity_at } = conversation;
  return { message: withAvatar(message), conversation: { id, status, last_seq, unread, last_activity_at } };
}

/** Counts and times are those of public messages: others would reveal that there is a private note. */
function publicMessage({ message, conversation }: MessageCreated): object | null {
  if (message.private) return null;
  const { id, status, last_public_seq, unread, last_public_activity_at } = conversation;
  return {
    message: withAvatar(message),
    conversation: { id, status, last_seq: last_public_seq, unread, last_activity_at: last_public_activity_at },
  };
}

/** A snooze is the agents' affair. */
function visitorMessage(payload: MessageCreated): object | null {
  const { conversation } = payload;
  return publicMessage({ ...payload, conversation: { ...conversation, status: toVisitorStatus(conversation.status) } });
}

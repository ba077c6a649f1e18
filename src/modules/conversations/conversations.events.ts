import type { Actor } from '../../kernel/domain-event.js';
import type { EventDefinitions } from '../../kernel/event-definition.js';
import { changesOf } from '../../kernel/scrub.js';
import type { ContactSummary } from '../contacts/index.js';
import { CONTACT_SUMMARY_FIELDS } from '../contacts/index.js';
import type { MemberDisplay } from '../members/index.js';
import type { ConversationRecord, Status } from './conversation.js';
import { CONVERSATION_FIELDS } from './conversation.js';
import type { VisitorConversationRecord, VisitorStatus } from './visitor-conversation.js';
import { toVisitorStatus, VISITOR_CONVERSATION_FIELDS } from './visitor-conversation.js';

export interface ConversationCreated {
  conversation: ConversationRecord;
  contact: ContactSummary;
  visitor: VisitorConversationRecord;
}

export interface ConversationUpdated {
  id: string;
  changes: Record<string, { from: unknown; to: unknown }>;
  version: number;
  actor: Actor;
  /** The previous and next assignee as the visitor sees them; null if the assignee did not change. */
  assignee: { from: MemberDisplay | null; to: MemberDisplay | null } | null;
}

export interface ConversationRead {
  id: string;
  reader: 'agents' | 'contact';
  last_read_seq: number;
  /** The last public message among those now read, which is all that the visitor may know; null if there is none. */
  last_public_read_seq: number | null;
}

declare module '../../kernel/domain-event.js' {
  interface DomainEvents {
    'conversation.created': ConversationCreated;
    'conversation.updated': ConversationUpdated;
    'conversation.read': ConversationRead;
  }
}

type ConversationEvent = 'conversation.created' | 'conversation.updated' | 'conversation.read';

export const CONVERSATION_EVENTS: EventDefinitions<ConversationEvent> = {
  'conversation.created': {
    summary: 'A conversation was created. Sent before its first `message.created`.',
    agents: {
      room: 'conversation',
      shape: 'ConversationCreatedData',
      data: ({ payload: { conversation, contact } }) => ({ conversation, contact }),
    },
    visitor: {
      shape: 'VisitorConversationCreatedData',
      data: ({ payload }) => ({ conversation: payload.visitor }),
    },
    public: ({ payload }) => publicConversation(payload),
    audit: null,
    personal: {
      conversation: CONVERSATION_FIELDS,
      contact: CONTACT_SUMMARY_FIELDS,
      visitor: VISITOR_CONVERSATION_FIELDS,
    },
  },
  'conversation.updated': {
    summary: 'A conversation was updated.',
    agents: {
      room: 'conversation',
      shape: 'ConversationUpdatedData',
      data: ({ payload: { id, changes, version, actor } }) => ({ id, changes, version, actor }),
    },
    visitor: { shape: 'VisitorConversationUpdatedData', data: ({ payload }) => visitorUpdate(payload) },
    public: ({ payload }) => publicUpdate(payload),
    audit: null,
    personal: {
      id: 'kept',
      changes: changesOf(CONVERSATION_FIELDS),
      version: 'kept',
      actor: 'kept',
      assignee: 'kept',
    },
  },
  'conversation.read': {
    summary: 'Messages were read.',
    agents: {
      room: 'conversation',
      shape: 'ConversationReadData',
      data: ({ payload: { id, reader, last_read_seq } }) => ({ id, reader, last_read_seq }),
    },
    visitor: { shape: 'ConversationReadData', data: ({ payload }) => publicRead(payload) },
    public: ({ payload }) => publicRead(payload),
    audit: null,
    personal: { id: 'kept', reader: 'kept', last_read_seq: 'kept', last_public_read_seq: 'kept' },
  },
};

function publicConversation({ conversation, contact, visitor }: ConversationCreated): object {
  const { last_message, last_seq } = visitor;
  return { conversation: { ...conversation, last_message, last_seq }, contact };
}

/** Visitors receive changes of the status, of the agent who serves them, and of their own rating. */
function visitorUpdate({ id, changes, assignee }: ConversationUpdated): object | null {
  const { status, csat } = changes;
  const shown = status && visitorStatusChange(status as { from: Status; to: Status });
  const seen = {
    ...(shown ? { status: shown } : {}),
    ...(csat ? { csat } : {}),
    ...(assignee ? { assignee } : {}),
  };
  return Object.keys(seen).length === 0 ? null : { id, changes: seen };
}

function visitorStatusChange(change: { from: Status; to: Status }): { from: VisitorStatus; to: VisitorStatus } | null {
  const [from, to] = [toVisitorStatus(change.from), toVisitorStatus(change.to)];
  return from === to ? null : { from, to };
}

/** Fields that also follow private notes. */
const FOLLOWS_NOTES = ['last_message', 'last_seq', 'last_activity_at', 'agent_last_read_seq', 'unread'];

function publicUpdate({ id, changes, version, actor }: ConversationUpdated): object | null {
  const shown = Object.entries(changes).filter(([field]) => !FOLLOWS_NOTES.includes(field));
  return shown.length === 0 ? null : { id, changes: Object.fromEntries(shown), version, actor };
}

/** A mark on a private note would reveal that there is one. */
function publicRead({ id, reader, last_public_read_seq }: ConversationRead): object | null {
  return last_public_read_seq === null ? null : { id, reader, last_read_seq: last_public_read_seq };
}

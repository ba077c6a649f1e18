import type { Actor } from '../../kernel/domain-event.js';
import type { ContactSummary } from '../contacts/index.js';
import type { MemberDisplay } from '../members/index.js';
import type { ConversationRecord, Status, Unread, VisitorConversationRecord } from './conversation.js';
import type { MessageRecord } from './messages/message.js';

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

export interface MessageCreated {
  message: MessageRecord;
  conversation: ConversationProgress;
}

/** An edited or deleted message. After deletion content, attachments and metadata are empty. */
export interface MessageChanged {
  message: MessageRecord;
}

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
    'message.created': MessageCreated;
    'message.updated': MessageChanged;
    'message.deleted': MessageChanged;
    'conversation.created': ConversationCreated;
    'conversation.updated': ConversationUpdated;
    'conversation.read': ConversationRead;
  }
}

import type { Actor } from '../../kernel/domain-event.js';
import type { ContactSummary } from '../contacts/index.js';
import type { MemberDisplay } from '../members/index.js';
import type { ConversationRecord, Status, Unread, VisitorConversationRecord } from './conversation.js';
import type { MessageRecord } from './messages/message.js';

/** What each message moves in its conversation, with both counts: agents' and the visitor's. */
export interface ConversationProgress {
  id: string;
  status: Status;
  last_seq: number;
  last_public_seq: number;
  unread: Unread;
  last_activity_at: string;
  /** The same of public messages alone. */
  last_public_activity_at: string;
}

export interface MessageCreated {
  message: MessageRecord;
  conversation: ConversationProgress;
}

/** An edit, or the removal of what was said: then content, attachments and metadata are empty. */
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
  /** How the visitor sees whom it talked to and whom it talks to; null when that has not changed. */
  assignee: { from: MemberDisplay | null; to: MemberDisplay | null } | null;
}

export interface ConversationRead {
  id: string;
  reader: 'agents' | 'contact';
  last_read_seq: number;
  /** The last public message that this has read, which is all that the visitor may know; null when it has read none. */
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

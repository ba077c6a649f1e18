import type { ProgressColumns, Conversation } from '../conversations/index.js';
import { unreadOf } from '../conversations/index.js';
import type { ConversationProgress } from './messages.events.js';
import { toWireTime } from '../../kernel/clock.js';
import type { Message } from './message.js';
import { isAutomatic, toLastMessage } from './message.js';

/** Columns of the conversation that a new message changes. Timeline entries change only `seq`. */
export function columnsAfter(conversation: Conversation, message: Message): ProgressColumns {
  const { seq, createdAt } = message;
  const columns: ProgressColumns = { lastSeq: seq, updatedAt: createdAt };
  if (!message.private) columns.lastPublicSeq = seq;
  if (message.contentType === 'event') return columns;
  columns.lastActivityAt = createdAt;
  columns.lastMessage = toLastMessage(message);
  if (message.private) return columns;
  columns.lastPublicMessage = columns.lastMessage;
  if (message.senderType === 'contact') return { ...columns, ...afterContact(conversation, createdAt) };
  columns.unreadContact = conversation.unreadContact + 1;
  if (!isAutomatic(message)) columns.waitingSince = null;
  if (message.senderType === 'agent') Object.assign(columns, afterAgent(conversation, message));
  return columns;
}

/** While a bot is in control, the contact waits for no person. */
function afterContact(conversation: Conversation, at: Date): ProgressColumns {
  return {
    unreadAgents: conversation.unreadAgents + 1,
    waitingSince: conversation.control === 'bot' ? null : (conversation.waitingSince ?? at),
    contactDue: false,
    firstResponseDue: conversation.firstResponseAt === null,
  };
}

/** An agent who answers has read what came before. */
function afterAgent(conversation: Conversation, { seq, createdAt }: Message): ProgressColumns {
  const read = { agentLastReadSeq: seq, unreadAgents: 0 };
  return conversation.firstResponseDue ? { ...read, firstResponseAt: createdAt, firstResponseDue: false } : read;
}

export function toProgress(conversation: Conversation): ConversationProgress {
  return {
    id: conversation.id,
    status: conversation.status,
    last_seq: conversation.lastSeq,
    last_public_seq: conversation.lastPublicSeq,
    unread: unreadOf(conversation),
    last_activity_at: toWireTime(conversation.lastActivityAt),
    last_public_activity_at: conversation.lastPublicMessage?.created_at ?? toWireTime(conversation.createdAt),
  };
}

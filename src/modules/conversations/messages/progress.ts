import type { Conversation } from '../conversation.js';
import { unreadOf } from '../conversation.js';
import type { ConversationProgress } from '../conversations.events.js';
import { toWireTime } from '../../../kernel/clock.js';
import type { Message } from './message.js';
import { toLastMessage } from './message.js';

/** What a message that has just been said moves in its conversation. Timeline entries only move `seq`. */
export function progress(conversation: Conversation, message: Message): Partial<Conversation> {
  const { seq, createdAt } = message;
  const moved: Partial<Conversation> = { lastSeq: seq, updatedAt: createdAt };
  if (!message.private) moved.lastPublicSeq = seq;
  if (message.contentType === 'event') return moved;
  moved.lastActivityAt = createdAt;
  moved.lastMessage = toLastMessage(message);
  if (message.private) return moved;
  moved.lastPublicMessage = moved.lastMessage;
  if (message.senderType === 'contact') {
    moved.unreadAgents = conversation.unreadAgents + 1;
    moved.waitingSince = conversation.waitingSince ?? createdAt;
  } else {
    moved.unreadContact = conversation.unreadContact + 1;
    moved.waitingSince = null;
    moved.firstResponseAt = conversation.firstResponseAt ?? createdAt;
  }
  return moved;
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

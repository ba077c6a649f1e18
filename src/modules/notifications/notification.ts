import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { Actor } from '../../kernel/domain-event.js';
import type { NotificationType } from '../members/index.js';

/** Tells a member of an act of somebody else that concerns it. */
export interface Notification {
  id: string;
  workspaceId: string;
  memberId: string;
  type: NotificationType;
  channelId: string;
  conversationId: string;
  /** The note that mentions the member, or the contact's message; null for an assignment. */
  messageId: string | null;
  /** `seq` of that message. */
  seq: number | null;
  actor: Actor;
  /** False if the member wants it by mail alone. */
  inApp: boolean;
  /** True until it is mailed, or has been shown to an open socket instead. */
  mailDue: boolean;
  readAt: Date | null;
  createdAt: Date;
}

export interface NotificationRecord {
  id: string;
  type: NotificationType;
  conversation_id: string;
  message_id: string | null;
  actor: Actor;
  read_at: string | null;
  created_at: string;
}

export function toNotificationRecord(notification: Notification): NotificationRecord {
  const { id, type, conversationId, messageId, actor, readAt, createdAt } = notification;
  return {
    id,
    type,
    conversation_id: conversationId,
    message_id: messageId,
    actor,
    read_at: toWireTimeOrNull(readAt),
    created_at: toWireTime(createdAt),
  };
}

import { toWireTime, toWireTimeOrNull } from '../../../kernel/clock.js';
import type { LastMessage } from '../conversation.js';

export const SENDER_TYPES = ['agent', 'contact', 'bot'] as const;
export const CONTENT_TYPES = ['text', 'image', 'file', 'audio', 'video', 'event'] as const;
/** What can be said; timeline entries are the service's own. */
export const SENDABLE_TYPES = CONTENT_TYPES.filter(type => type !== 'event');
export type SenderType = (typeof SENDER_TYPES)[number];
export type ContentType = (typeof CONTENT_TYPES)[number];

export const MESSAGE_CHARS = 20_000;
const PREVIEW_CHARS = 140;

/** For how long its sender may edit or unsend a message. */
export const EDIT_MS = 15 * 60_000;

/** Something said in a conversation, or an entry of its timeline. */
export interface Message {
  id: string;
  workspaceId: string;
  conversationId: string;
  /** 1, 2, 3 … in the conversation, without a gap: the order that everybody shows. */
  seq: number;
  senderType: SenderType;
  senderId: string;
  /** As the sender was called then; null for contacts. */
  senderName: string | null;
  contentType: ContentType;
  content: string | null;
  attachments: never[];
  metadata: Record<string, unknown>;
  /** The client's own id: the same one twice is one message. */
  clientMessageId: string | null;
  /** A note among agents. */
  private: boolean;
  replyToId: string | null;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
}

export interface MessageRecord {
  id: string;
  conversation_id: string;
  workspace_id: string;
  seq: number;
  sender_type: SenderType;
  sender_id: string;
  sender_name: string | null;
  content_type: ContentType;
  content: string | null;
  attachments: never[];
  metadata: Record<string, unknown>;
  client_message_id: string | null;
  private: boolean;
  reply_to_id: string | null;
  created_at: string;
  edited_at: string | null;
  deleted_at: string | null;
}

export function toMessageRecord(message: Message): MessageRecord {
  return {
    id: message.id,
    conversation_id: message.conversationId,
    workspace_id: message.workspaceId,
    seq: message.seq,
    sender_type: message.senderType,
    sender_id: message.senderId,
    sender_name: message.senderName,
    content_type: message.contentType,
    content: message.content,
    attachments: message.attachments,
    metadata: message.metadata,
    client_message_id: message.clientMessageId,
    private: message.private,
    reply_to_id: message.replyToId,
    created_at: toWireTime(message.createdAt),
    edited_at: toWireTimeOrNull(message.editedAt),
    deleted_at: toWireTimeOrNull(message.deletedAt),
  };
}

/** What is left of a message whose contact has been erased: that it was said; of a timeline entry also what happened. */
export function withoutContent(message: Message, erasedAt: Date): Message {
  const bare = { ...message, content: null, attachments: [], clientMessageId: null };
  if (message.contentType === 'event') return { ...bare, metadata: { event: message.metadata.event } };
  return { ...bare, metadata: {}, deletedAt: message.deletedAt ?? erasedAt };
}

/** What lists show of the newest message. */
export function toLastMessage(message: Message): LastMessage {
  const preview = toPreview(message.content);
  return { id: message.id, preview, sender_type: message.senderType, created_at: toWireTime(message.createdAt) };
}

/** As much of what was said as lists show. */
export function toPreview(content: string | null): string {
  return (content ?? '').slice(0, PREVIEW_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}

import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { ScrubFields } from '../../kernel/scrub.js';
import { personal, scrubErased, words, wordsExcept } from '../../kernel/scrub.js';
import type { AttachmentRef } from '../attachments/index.js';
import type { LastMessage, SenderType } from '../conversations/index.js';
import { TIMELINE_EVENTS } from '../conversations/index.js';

export const CONTENT_TYPES = ['text', 'image', 'file', 'audio', 'video', 'event'] as const;
/** Content types that callers can send. Only the service adds timeline entries. */
export const SENDABLE_TYPES = CONTENT_TYPES.filter(type => type !== 'event');
export type ContentType = (typeof CONTENT_TYPES)[number];

/** The kinds of messages that the service itself sends, as in `metadata.auto`. */
export const AUTOMATIC_KINDS = ['away'] as const;
export type AutomaticKind = (typeof AUTOMATIC_KINDS)[number];

export const MESSAGE_CHARS = 20_000;
const PREVIEW_CHARS = 140;

/** Time in milliseconds in which the sender may edit or delete a message. */
export const EDIT_MS = 15 * 60_000;

/** A message of a conversation, or an entry of its timeline. */
export interface Message {
  id: string;
  workspaceId: string;
  conversationId: string;
  /** Position in the conversation: 1, 2, 3 … without gaps. Clients sort by it. */
  seq: number;
  senderType: SenderType;
  senderId: string;
  /** Name of the sender when it was sent; null for contacts. */
  senderName: string | null;
  /** Avatar of the sender when it was sent; null for contacts. */
  senderAvatarUrl: string | null;
  contentType: ContentType;
  content: string | null;
  attachments: readonly AttachmentRef[];
  metadata: Record<string, unknown>;
  /** The client's own id. A sender's second message with the same id is the first one. */
  clientMessageId: string | null;
  /** A private note, which only agents see. */
  private: boolean;
  replyToId: string | null;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
}

/** A message before its conversation gives it a `seq` and a time. */
export type UnnumberedMessage = Omit<Message, 'seq' | 'createdAt'>;

export interface MessageRecord {
  id: string;
  conversation_id: string;
  workspace_id: string;
  seq: number;
  sender_type: SenderType;
  sender_id: string;
  sender_name: string | null;
  sender_avatar_url: string | null;
  content_type: ContentType;
  content: string | null;
  attachments: readonly AttachmentRef[];
  metadata: Record<string, unknown>;
  client_message_id: string | null;
  private: boolean;
  reply_to_id: string | null;
  created_at: string;
  edited_at: string | null;
  deleted_at: string | null;
}

export type UnnumberedRecord = Omit<MessageRecord, 'seq' | 'created_at'>;

/** The scrubbing of a row. Timeline entries keep `metadata.event`, the service's own description of the change. */
const SCRUBBED = {
  content: words(null),
  attachments: words<readonly AttachmentRef[]>([]),
  metadata: wordsExcept({ event: TIMELINE_EVENTS }),
  clientMessageId: personal(null),
} satisfies Partial<ScrubFields<Message>>;

/** The scrubbing of each field. */
export const MESSAGE_FIELDS: ScrubFields<MessageRecord> = {
  id: 'kept',
  conversation_id: 'kept',
  workspace_id: 'kept',
  seq: 'kept',
  sender_type: 'kept',
  sender_id: 'kept',
  sender_name: 'kept',
  sender_avatar_url: 'kept',
  content_type: 'kept',
  content: SCRUBBED.content,
  attachments: SCRUBBED.attachments,
  metadata: SCRUBBED.metadata,
  client_message_id: SCRUBBED.clientMessageId,
  private: 'kept',
  reply_to_id: 'kept',
  created_at: 'kept',
  edited_at: 'kept',
  deleted_at: 'kept',
};

export function toMessageRecord(message: Message): MessageRecord {
  return { ...toUnnumberedRecord(message), seq: message.seq, created_at: toWireTime(message.createdAt) };
}

export function toUnnumberedRecord(message: UnnumberedMessage): UnnumberedRecord {
  return {
    id: message.id,
    conversation_id: message.conversationId,
    workspace_id: message.workspaceId,
    sender_type: message.senderType,
    sender_id: message.senderId,
    sender_name: message.senderName,
    sender_avatar_url: message.senderAvatarUrl,
    content_type: message.contentType,
    content: message.content,
    attachments: message.attachments,
    metadata: message.metadata,
    client_message_id: message.clientMessageId,
    private: message.private,
    reply_to_id: message.replyToId,
    edited_at: toWireTimeOrNull(message.editedAt),
    deleted_at: toWireTimeOrNull(message.deletedAt),
  };
}

/** True for a message that the service itself has sent. It is no answer. */
export function isAutomatic({ senderType, metadata }: Message): boolean {
  return senderType === 'bot' && metadata.auto !== undefined;
}

/** The message of an erased contact, without content. A timeline entry counts as not deleted. */
export function withoutContent(message: Message, erasedAt: Date): Message {
  const scrubbed = scrubErased(message, SCRUBBED);
  return message.contentType === 'event' ? scrubbed : { ...scrubbed, deletedAt: message.deletedAt ?? erasedAt };
}

/** Preview of the newest message for lists. */
export function toLastMessage(message: Message): LastMessage {
  const preview = toPreview(message.content, message.attachments);
  return { id: message.id, preview, sender_type: message.senderType, created_at: toWireTime(message.createdAt) };
}

/** Shortens content for lists, and never cuts a surrogate pair. A message of files alone is shown by their names. */
export function toPreview(content: string | null, attachments: readonly AttachmentRef[] = []): string {
  const text = content || attachments.map(({ name }) => `📎 ${name}`).join(', ');
  return text.slice(0, PREVIEW_CHARS).replace(/[\uD800-\uDBFF]$/, '');
}

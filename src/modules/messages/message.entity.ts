import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import {
  IdColumn,
  JsonColumn,
  KeyColumn,
  TextColumn,
  TimeColumn,
  WrittenAtColumn,
} from '../../platform/database/columns.js';
import type { AttachmentRef } from '../attachments/index.js';
import type { SenderType } from '../conversations/index.js';
import type { ContentType, Message } from './message.js';

@Entity({ name: 'message' })
@Unique('uq_message_seq', ['workspaceId', 'conversationId', 'seq'])
@Index('uq_message_client_id', ['conversationId', 'senderType', 'senderId', 'clientMessageId'], {
  unique: true,
  where: `"client_message_id" IS NOT NULL`,
})
@Check('ck_message_sender_type', `"sender_type" IN ('agent', 'contact', 'bot')`)
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_message_conversation',
  onDelete: 'CASCADE',
})
export class MessageEntity implements Message {
  @KeyColumn('workspace_id', 'pk_message')
  workspaceId!: string;

  @KeyColumn('id', 'pk_message')
  id!: string;

  @IdColumn('conversation_id')
  conversationId!: string;

  @Column({ name: 'seq', type: 'integer' })
  seq!: number;

  @TextColumn('sender_type')
  senderType!: SenderType;

  @IdColumn('sender_id')
  senderId!: string;

  @TextColumn('sender_name', { nullable: true })
  senderName!: string | null;

  @TextColumn('sender_avatar_url', { nullable: true })
  senderAvatarUrl!: string | null;

  @TextColumn('content_type', { default: 'text' })
  contentType!: ContentType;

  @TextColumn('content', { nullable: true })
  content!: string | null;

  @JsonColumn('attachments', { default: [] })
  attachments!: AttachmentRef[];

  @JsonColumn('metadata', { default: {} })
  metadata!: Record<string, unknown>;

  @TextColumn('client_message_id', { nullable: true })
  clientMessageId!: string | null;

  @Column({ name: 'private', type: 'boolean', default: false })
  private!: boolean;

  @IdColumn('reply_to_id', { nullable: true })
  replyToId!: string | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('edited_at', { nullable: true })
  editedAt!: Date | null;

  @TimeColumn('deleted_at', { nullable: true })
  deletedAt!: Date | null;
}

import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { Attachment, AttachmentState, Owner } from './attachment.js';

/** A file. It is written before its first byte reaches the store, and deleted after the last one has gone. */
@Entity({ name: 'attachment' })
@Check('ck_attachment_state', `"state" IN ('uploading', 'abandoned', 'ready', 'removed', 'gone')`)
@Check('ck_attachment_owner', `"owner_kind" IN ('contact', 'member', 'api_key')`)
@Index('ix_attachment_due', ['dueAt'], { where: `"due_at" IS NOT NULL` })
@Index('ix_attachment_owner', ['workspaceId', 'ownerId', 'createdAt'])
@Index('ix_attachment_message', ['workspaceId', 'messageId'], { where: `"message_id" IS NOT NULL` })
@Index('ix_attachment_contact', ['workspaceId', 'contactId'], { where: `"contact_id" IS NOT NULL` })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_attachment_workspace' })
export class AttachmentEntity implements Attachment {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_attachment' })
  id!: string;

  @IdColumn('workspace_id')
  workspaceId!: string;

  @TextColumn('state')
  state!: AttachmentState;

  @TextColumn('owner_kind')
  ownerKind!: Owner['kind'];

  @IdColumn('owner_id')
  ownerId!: string;

  @IdColumn('channel_id', { nullable: true })
  channelId!: string | null;

  @IdColumn('contact_id', { nullable: true })
  contactId!: string | null;

  @Column({ name: 'private', type: 'boolean', default: false })
  private!: boolean;

  @IdColumn('message_id', { nullable: true })
  messageId!: string | null;

  @TextColumn('name')
  name!: string;

  @TextColumn('content_type')
  contentType!: string;

  @Column({ name: 'size', type: 'integer' })
  size!: number;

  @Column({ name: 'width', type: 'integer', nullable: true })
  width!: number | null;

  @Column({ name: 'height', type: 'integer', nullable: true })
  height!: number | null;

  @Column({ name: 'has_thumbnail', type: 'boolean', default: false })
  hasThumbnail!: boolean;

  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  @TimeColumn('created_at')
  createdAt!: Date;
}

import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Actor } from '../../kernel/domain-event.js';
import { IdColumn, JsonColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { NotificationType } from '../members/index.js';
import type { Notification } from './notification.js';

@Entity({ name: 'notification' })
@Index('ix_notification_member', ['workspaceId', 'memberId', 'id'])
@Index('ix_notification_unread', ['workspaceId', 'memberId', 'id'], { where: `"read_at" IS NULL` })
@Index('uq_notification_replied', ['workspaceId', 'memberId', 'conversationId'], {
  unique: true,
  where: `"type" = 'replied' AND "read_at" IS NULL`,
})
@Index('ix_notification_conversation', ['workspaceId', 'conversationId'])
@Index('ix_notification_created_at', ['createdAt'])
@Check('ck_notification_type', `"type" IN ('assigned', 'mentioned', 'replied')`)
@ForeignKey('member', ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'fk_notification_member',
  onDelete: 'CASCADE',
})
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_notification_conversation',
  onDelete: 'CASCADE',
})
export class NotificationEntity implements Notification {
  @KeyColumn('workspace_id', 'pk_notification')
  workspaceId!: string;

  @KeyColumn('id', 'pk_notification')
  id!: string;

  @IdColumn('member_id')
  memberId!: string;

  @TextColumn('type')
  type!: NotificationType;

  @IdColumn('channel_id')
  channelId!: string;

  @IdColumn('conversation_id')
  conversationId!: string;

  @IdColumn('message_id', { nullable: true })
  messageId!: string | null;

  @Column({ name: 'seq', type: 'integer', nullable: true })
  seq!: number | null;

  @JsonColumn('actor')
  actor!: Actor;

  @Column({ name: 'in_app', type: 'boolean' })
  inApp!: boolean;

  @Column({ name: 'mail_due', type: 'boolean' })
  mailDue!: boolean;

  @TimeColumn('read_at', { nullable: true })
  readAt!: Date | null;

  @TimeColumn('created_at')
  createdAt!: Date;
}

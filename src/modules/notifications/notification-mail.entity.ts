import { Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** When a member's notifications are mailed next, and when they were mailed last. */
@Entity({ name: 'notification_mail' })
@Index('ix_notification_mail_due', ['dueAt'], { where: `"due_at" IS NOT NULL` })
@ForeignKey('member', ['workspaceId', 'memberId'], ['workspaceId', 'id'], {
  name: 'fk_notification_mail_member',
  onDelete: 'CASCADE',
})
export class NotificationMailEntity {
  @KeyColumn('workspace_id', 'pk_notification_mail')
  workspaceId!: string;

  @KeyColumn('member_id', 'pk_notification_mail')
  memberId!: string;

  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  @TimeColumn('mailed_at', { nullable: true })
  mailedAt!: Date | null;
}

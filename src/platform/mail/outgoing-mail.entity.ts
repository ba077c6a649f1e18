import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { IdColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../database/columns.js';

export const MAIL_STATUSES = ['pending', 'sent', 'cancelled', 'failed'] as const;
/** `cancelled`: its reason was gone before it was sent. */
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** A mail to send. It is composed when it is sent, so it never contains what is no longer true. */
@Entity({ name: 'outgoing_mail' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_outgoing_mail_workspace', onDelete: 'CASCADE' })
@Check('ck_outgoing_mail_status', `"status" IN ('pending', 'sent', 'cancelled', 'failed')`)
@Index('ix_outgoing_mail_due', ['dueAt'], { where: `"status" = 'pending'` })
@Index('ix_outgoing_mail_subject', ['subjectId', 'kind'])
@Index('ix_outgoing_mail_failed', ['workspaceId', 'id'], { where: `"status" = 'failed'` })
@Index('ix_outgoing_mail_created_at', ['createdAt'])
export class OutgoingMailEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_outgoing_mail' })
  id!: string;

  /** Null for a mail to a user that concerns no workspace. */
  @IdColumn('workspace_id', { nullable: true })
  workspaceId!: string | null;

  /** Decides who composes it. */
  @TextColumn('kind')
  kind!: string;

  /** The row that it is about: an invite, a conversation. */
  @IdColumn('subject_id')
  subjectId!: string;

  /** Encrypted JSON that the composer needs and that is stored nowhere else, e.g. a token. Deleted when it ends. */
  @TextColumn('data', { nullable: true })
  data!: string | null;

  @TextColumn('status', { default: 'pending' })
  status!: MailStatus;

  @Column({ name: 'attempts', type: 'integer', default: 0 })
  attempts!: number;

  /** Time of the next attempt. During an attempt it is the end of the lease. */
  @TimeColumn('due_at')
  dueAt!: Date;

  /** The address of the last attempt. */
  @TextColumn('recipient', { nullable: true })
  recipient!: string | null;

  /** The answer of the mail server to the last failed attempt. */
  @TextColumn('last_error', { nullable: true })
  lastError!: string | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('ended_at', { nullable: true })
  endedAt!: Date | null;
}

import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** Follow-ups of a conversation: when unread answers are looked for, and which ones have been mailed. */
@Entity({ name: 'follow_up' })
@Index('ix_follow_up_due', ['dueAt'], { where: `"due_at" IS NOT NULL` })
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_follow_up_conversation',
  onDelete: 'CASCADE',
})
export class FollowUpEntity {
  @KeyColumn('workspace_id', 'pk_follow_up')
  workspaceId!: string;

  @KeyColumn('conversation_id', 'pk_follow_up')
  conversationId!: string;

  /** Null when no answer waits to be read. */
  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  /** Messages up to this `seq` are in no later mail. It only grows, so each message is in at most one. */
  @Column({ name: 'mailed_seq', type: 'integer', default: 0 })
  mailedSeq!: number;
}

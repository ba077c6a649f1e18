import { Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** When to look whether an open or pending conversation is idle. Messages leave it alone. */
@Entity({ name: 'idle_timer' })
@ForeignKey('conversation', ['workspaceId', 'conversationId'], ['workspaceId', 'id'], {
  name: 'fk_idle_timer_conversation',
  onDelete: 'CASCADE',
})
@Index('ix_idle_timer_due', ['dueAt'])
export class IdleTimerEntity {
  @KeyColumn('workspace_id', 'pk_idle_timer')
  workspaceId!: string;

  @KeyColumn('conversation_id', 'pk_idle_timer')
  conversationId!: string;

  @TimeColumn('due_at')
  dueAt!: Date;
}

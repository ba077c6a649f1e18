import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TimeColumn } from '../../platform/database/columns.js';

/** The typical reply time of a channel, computed in the background. */
@Entity({ name: 'reply_time' })
@Index('ix_reply_time_due', ['dueAt'])
@ForeignKey('channel', ['workspaceId', 'channelId'], ['workspaceId', 'id'], {
  name: 'fk_reply_time_channel',
  onDelete: 'CASCADE',
})
export class ReplyTimeEntity {
  @KeyColumn('workspace_id', 'pk_reply_time')
  workspaceId!: string;

  @KeyColumn('channel_id', 'pk_reply_time')
  channelId!: string;

  /** Null when there are too few answers. */
  @Column({ name: 'seconds', type: 'integer', nullable: true })
  seconds!: number | null;

  /** When it is computed again. */
  @TimeColumn('due_at')
  dueAt!: Date;
}

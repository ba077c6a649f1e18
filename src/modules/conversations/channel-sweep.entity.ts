import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { IdColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';

/** A channel whose unresolved conversations a task has to visit, because a setting changed. */
@Entity({ name: 'channel_sweep' })
@ForeignKey('channel', ['workspaceId', 'channelId'], ['workspaceId', 'id'], {
  name: 'fk_channel_sweep_channel',
  onDelete: 'CASCADE',
})
@Unique('uq_channel_sweep_task', ['workspaceId', 'channelId', 'task'])
export class ChannelSweepEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_channel_sweep' })
  id!: string;

  @IdColumn('workspace_id')
  workspaceId!: string;

  @IdColumn('channel_id')
  channelId!: string;

  @TextColumn('task')
  task!: string;

  /** The last conversation visited. */
  @IdColumn('after_id')
  afterId!: string;

  /** The sweep begins when all transactions with ids below this one have ended; null until it was first seen. */
  @Column({ name: 'barrier', type: 'bigint', nullable: true })
  barrier!: string | null;

  @TimeColumn('requested_at')
  requestedAt!: Date;
}

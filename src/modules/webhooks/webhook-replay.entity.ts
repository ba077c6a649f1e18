import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TimeColumn } from '../../platform/database/columns.js';

const RUNNING = { where: '"due_at" IS NOT NULL' };

/** Earlier events that are to be delivered to a webhook again. A worker queues them in slices. */
@Entity({ name: 'webhook_replay' })
@Index('uq_webhook_replay_running', ['workspaceId', 'webhookId'], { unique: true, ...RUNNING })
@Index('ix_webhook_replay_due', ['dueAt'], RUNNING)
@ForeignKey('webhook', ['workspaceId', 'webhookId'], ['workspaceId', 'id'], {
  name: 'fk_webhook_replay_webhook',
  onDelete: 'CASCADE',
})
export class WebhookReplayEntity {
  @KeyColumn('workspace_id', 'pk_webhook_replay')
  workspaceId!: string;

  @KeyColumn('id', 'pk_webhook_replay')
  id!: string;

  @IdColumn('webhook_id')
  webhookId!: string;

  /** Positions of the events in the log, ascending. */
  @Column({ name: 'positions', type: 'bigint', array: true })
  positions!: string[];

  /** Number of positions that were queued. */
  @Column({ name: 'done', type: 'integer', default: 0 })
  done!: number;

  /** Null once all were queued. */
  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  @TimeColumn('created_at')
  createdAt!: Date;
}

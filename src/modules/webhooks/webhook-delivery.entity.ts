import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, JsonColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { Attempt, DeliveryStatus, LaneName } from './delivery.js';
import { DELIVERY_STATUSES, LANES } from './delivery.js';

const PENDING = { where: `"status" = 'pending'` };
const oneOf = (values: readonly string[]) => `IN ('${values.join("', '")}')`;

@Entity({ name: 'webhook_delivery' })
@Index('ix_webhook_delivery_webhook', ['workspaceId', 'webhookId', 'id'])
@Index('ix_webhook_delivery_number', ['workspaceId', 'webhookId', 'number'])
@Index('ix_webhook_delivery_lane', ['workspaceId', 'webhookId', 'lane', 'number'], PENDING)
@Index('ix_webhook_delivery_due', ['workspaceId', 'webhookId', 'dueAt'], PENDING)
@Index('ix_webhook_delivery_event', ['workspaceId', 'eventId'])
@Index('ix_webhook_delivery_created_at', ['createdAt'])
@Check('ck_webhook_delivery_lane', `"lane" ${oneOf(LANES)}`)
@Check('ck_webhook_delivery_status', `"status" ${oneOf(DELIVERY_STATUSES)}`)
@ForeignKey('webhook', ['workspaceId', 'webhookId'], ['workspaceId', 'id'], {
  name: 'fk_webhook_delivery_webhook',
  onDelete: 'CASCADE',
})
@ForeignKey('webhook_event', ['workspaceId', 'eventId'], ['workspaceId', 'id'], {
  name: 'fk_webhook_delivery_event',
  onDelete: 'CASCADE',
})
export class WebhookDeliveryEntity {
  @KeyColumn('workspace_id', 'pk_webhook_delivery')
  workspaceId!: string;

  @KeyColumn('id', 'pk_webhook_delivery')
  id!: string;

  /** The order in which deliveries were queued. */
  @Column({ name: 'number', type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  number!: string;

  @IdColumn('webhook_id')
  webhookId!: string;

  @IdColumn('event_id')
  eventId!: string;

  @TextColumn('type')
  type!: string;

  @IdColumn('conversation_id', { nullable: true })
  conversationId!: string | null;

  @TextColumn('lane')
  lane!: LaneName;

  @TextColumn('status', { default: 'pending' })
  status!: DeliveryStatus;

  /** The newest ones; `attemptCount` counts all. */
  @JsonColumn('attempts', { default: [] })
  attempts!: Attempt[];

  @Column({ name: 'attempt_count', type: 'integer', default: 0 })
  attemptCount!: number;

  /** When the next attempt is due; null unless it is pending. */
  @TimeColumn('due_at', { nullable: true })
  dueAt!: Date | null;

  @TimeColumn('created_at')
  createdAt!: Date;
}

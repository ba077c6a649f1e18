import { Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Actor } from '../../kernel/domain-event.js';
import { IdColumn, JsonColumn, KeyColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';

/** Copy of an event that a webhook selected. All webhooks of the workspace share it, and it outlives the event log. */
@Entity({ name: 'webhook_event' })
@Index('ix_webhook_event_conversation', ['conversationId', 'position'], { where: '"conversation_id" IS NOT NULL' })
@Index('ix_webhook_event_contact', ['contactId', 'position'], {
  where: '"contact_id" IS NOT NULL AND "conversation_id" IS NULL',
})
@Index('ix_webhook_event_position', ['workspaceId', 'position'])
@Index('ix_webhook_event_recorded_at', ['recordedAt'])
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_webhook_event_workspace', onDelete: 'CASCADE' })
export class WebhookEventEntity {
  @KeyColumn('workspace_id', 'pk_webhook_event')
  workspaceId!: string;

  @KeyColumn('id', 'pk_webhook_event')
  id!: string;

  @Column({ name: 'position', type: 'bigint' })
  position!: string;

  @TextColumn('type')
  type!: string;

  @IdColumn('channel_id', { nullable: true })
  channelId!: string | null;

  @IdColumn('conversation_id', { nullable: true })
  conversationId!: string | null;

  @IdColumn('contact_id', { nullable: true })
  contactId!: string | null;

  @JsonColumn('actor')
  actor!: Actor;

  @JsonColumn('payload')
  payload!: object;

  @Column({ name: 'payload_version', type: 'smallint' })
  payloadVersion!: number;

  @TimeColumn('recorded_at')
  recordedAt!: Date;

  /** Cursor of the event log, after which `GET /v1/events` continues. */
  @TextColumn('cursor')
  cursor!: string;
}

import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { DisabledReason, Webhook } from './webhook.js';
import { DISABLED_REASONS } from './webhook.js';

const nullable = true;
const DATABASE_TIME = { default: () => 'clock_timestamp()' };

@Entity({ name: 'webhook' })
@Index('ix_webhook_due', ['dueAt'], { where: '"due_at" IS NOT NULL' })
@Index('ix_webhook_disabled_at', ['disabledAt'], { where: '"disabled_at" IS NOT NULL' })
@Index('ix_webhook_enabled', ['workspaceId'], { where: '"enabled"' })
@Check('ck_webhook_disabled_reason', `"disabled_reason" IN ('${DISABLED_REASONS.join("', '")}')`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_webhook_workspace', onDelete: 'CASCADE' })
export class WebhookEntity implements Webhook {
  @KeyColumn('workspace_id', 'pk_webhook')
  workspaceId!: string;

  @KeyColumn('id', 'pk_webhook')
  id!: string;

  @TextColumn('url')
  url!: string;

  @TextColumn('events', { array: true })
  events!: string[];

  @IdColumn('channel_ids', { array: true, nullable })
  channelIds!: string[] | null;

  @Column({ name: 'include_private', type: 'boolean', default: false })
  includePrivate!: boolean;

  @TextColumn('description', { nullable })
  description!: string | null;

  @Column({ name: 'enabled', type: 'boolean', default: true })
  enabled!: boolean;

  @TextColumn('disabled_reason', { nullable })
  disabledReason!: DisabledReason | null;

  @TextColumn('secret', { nullable })
  secret!: string | null;

  @TextColumn('previous_secret', { nullable })
  previousSecret!: string | null;

  @TimeColumn('previous_secret_until', { nullable })
  previousSecretUntil!: Date | null;

  @TimeColumn('enabled_at', DATABASE_TIME)
  enabledAt!: Date;

  @TimeColumn('disabled_at', { nullable })
  disabledAt!: Date | null;

  @Column({ name: 'ended_number', type: 'bigint', default: 0 })
  endedNumber!: string;

  @TimeColumn('failing_since', { nullable })
  failingSince!: Date | null;

  @TimeColumn('last_success_at', { nullable })
  lastSuccessAt!: Date | null;

  @TimeColumn('due_at', { nullable })
  dueAt!: Date | null;

  @IdColumn('lease', { nullable })
  lease!: string | null;

  @TimeColumn('leased_until', { nullable })
  leasedUntil!: Date | null;

  @TimeColumn('deleted_at', { nullable })
  deletedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', DATABASE_TIME)
  updatedAt!: Date;
}

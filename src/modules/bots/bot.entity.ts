import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { Bot, BotStatus } from './bot.js';

@Entity({ name: 'bot' })
@Index('uq_bot_system', ['workspaceId'], { unique: true, where: `"kind" = 'system'` })
@Check('ck_bot_kind', `"kind" IN ('system', 'custom')`)
@Check('ck_bot_status', `"status" IN ('enabled', 'disabled')`)
@Check('ck_bot_history_count', `"history_count" BETWEEN 0 AND 10`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_bot_workspace', onDelete: 'CASCADE' })
export class BotEntity implements Bot {
  @KeyColumn('workspace_id', 'pk_bot')
  workspaceId!: string;

  @KeyColumn('id', 'pk_bot')
  id!: string;

  @TextColumn('kind')
  kind!: 'system' | 'custom';

  @TextColumn('name')
  name!: string;

  @TextColumn('description', { nullable: true })
  description!: string | null;

  @TextColumn('avatar_url', { nullable: true })
  avatarUrl!: string | null;

  @TextColumn('status', { default: 'enabled' })
  status!: BotStatus;

  @TextColumn('webhook_url', { nullable: true })
  webhookUrl!: string | null;

  @Column({ name: 'history_count', type: 'integer', default: 10 })
  historyCount!: number;

  @Column({ name: 'timeout_seconds', type: 'integer', default: 120 })
  timeoutSeconds!: number;

  @TextColumn('secret', { nullable: true })
  secret!: string | null;

  @TextColumn('previous_secret', { nullable: true })
  previousSecret!: string | null;

  @TimeColumn('previous_secret_until', { nullable: true })
  previousSecretUntil!: Date | null;

  @TimeColumn('deleted_at', { nullable: true })
  deletedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

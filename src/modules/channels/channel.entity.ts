import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { JsonColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { BusinessHours } from '../../kernel/business-hours.js';
import type { AttachmentRules } from './attachment-rules.js';
import { DEFAULT_ATTACHMENT_RULES } from './attachment-rules.js';
import type { Channel, ChannelStatus, IdentityMode, Routing } from './channel.js';
import type { WidgetConfig } from './widget-config.js';

@Entity({ name: 'channel' })
@Unique('uq_channel_widget_token', ['widgetToken'])
@Index('ix_channel_followup', ['workspaceId', 'id'], { where: `"followup_email_minutes" IS NOT NULL` })
@Check('ck_channel_status', `"status" IN ('active', 'disabled')`)
@Check('ck_channel_identity', `"identity_verification" IN ('off', 'optional', 'required')`)
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_channel_workspace', onDelete: 'CASCADE' })
export class ChannelEntity implements Channel {
  @KeyColumn('workspace_id', 'pk_channel')
  workspaceId!: string;

  @KeyColumn('id', 'pk_channel')
  id!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('status', { default: 'active' })
  status!: ChannelStatus;

  @TextColumn('widget_token')
  widgetToken!: string;

  @TextColumn('allowed_origins', { array: true, default: [] })
  allowedOrigins!: string[];

  @TextColumn('identity_verification', { default: 'optional' })
  identityVerification!: IdentityMode;

  @TextColumn('identity_secret')
  identitySecret!: string;

  @Column({ name: 'verified_generation', type: 'integer', default: 1 })
  verifiedGeneration!: number;

  @Column({ name: 'unverified_generation', type: 'integer', default: 1 })
  unverifiedGeneration!: number;

  @JsonColumn('routing')
  routing!: Routing;

  @Column({ name: 'single_conversation', type: 'boolean', default: true })
  singleConversation!: boolean;

  @Column({ name: 'reopen_window_hours', type: 'integer', default: 72 })
  reopenWindowHours!: number;

  @Column({ name: 'auto_resolve_hours', type: 'integer', nullable: true })
  autoResolveHours!: number | null;

  @Column({ name: 'csat_enabled', type: 'boolean', default: false })
  csatEnabled!: boolean;

  @Column({ name: 'followup_email_minutes', type: 'integer', nullable: true })
  followupEmailMinutes!: number | null;

  @TextColumn('reply_email', { nullable: true })
  replyEmail!: string | null;

  @JsonColumn('business_hours', { nullable: true })
  businessHours!: BusinessHours | null;

  @TextColumn('kept_query_params', { array: true, default: [] })
  keptQueryParams!: string[];

  @JsonColumn('attachments', { default: DEFAULT_ATTACHMENT_RULES })
  attachments!: AttachmentRules;

  @JsonColumn('widget_config')
  widgetConfig!: WidgetConfig;

  @TimeColumn('deleted_at', { nullable: true })
  deletedAt!: Date | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

import type { BusinessHours } from '../../kernel/business-hours.js';
import type { AttachmentRules } from './attachment-rules.js';
import type { Channel, ChannelStatus, IdentityMode, Routing } from './channel.js';
import { assertSelectable } from './pre-chat-form.js';
import type { WidgetConfigChanges } from './widget-config.js';
import { changeWidgetConfig } from './widget-config.js';

export interface ChannelChanges {
  name?: string | undefined;
  status?: ChannelStatus | undefined;
  allowed_origins?: string[] | undefined;
  identity_verification?: IdentityMode | undefined;
  routing?: Partial<Routing> | undefined;
  single_conversation?: boolean | undefined;
  reopen_window_hours?: number | undefined;
  auto_resolve_hours?: number | null | undefined;
  csat_enabled?: boolean | undefined;
  followup_email_minutes?: number | null | undefined;
  reply_email?: string | null | undefined;
  business_hours?: BusinessHours | null | undefined;
  kept_query_params?: string[] | undefined;
  attachments?: Partial<AttachmentRules> | undefined;
  widget_config?: WidgetConfigChanges | undefined;
}

/** Changes the given fields. @throws ValidationFailed for a `select` field of the form before the chat without options */
export function applyChanges(channel: Channel, changes: ChannelChanges): void {
  channel.name = changes.name ?? channel.name;
  channel.status = changes.status ?? channel.status;
  channel.allowedOrigins = changes.allowed_origins?.map(origin => origin.toLowerCase()) ?? channel.allowedOrigins;
  channel.identityVerification = changes.identity_verification ?? channel.identityVerification;
  channel.routing = changeRouting(channel.routing, changes.routing ?? {});
  channel.singleConversation = changes.single_conversation ?? channel.singleConversation;
  channel.reopenWindowHours = changes.reopen_window_hours ?? channel.reopenWindowHours;
  if (changes.auto_resolve_hours !== undefined) channel.autoResolveHours = changes.auto_resolve_hours;
  channel.csatEnabled = changes.csat_enabled ?? channel.csatEnabled;
  if (changes.followup_email_minutes !== undefined) channel.followupEmailMinutes = changes.followup_email_minutes;
  if (changes.reply_email !== undefined) channel.replyEmail = changes.reply_email;
  if (changes.business_hours !== undefined) channel.businessHours = changes.business_hours;
  if (changes.kept_query_params) channel.keptQueryParams = [...new Set(changes.kept_query_params)];
  if (changes.attachments) channel.attachments = changeRules(channel.attachments, changes.attachments);
  if (changes.widget_config) {
    assertSelectable(changes.widget_config.pre_chat_form?.fields ?? []);
    channel.widgetConfig = changeWidgetConfig(channel.widgetConfig, changes.widget_config);
  }
}

function changeRouting(
  routing: Routing,
  {
    mode = routing.mode,
    bot_id = routing.bot_id,
    reassign_after_minutes = routing.reassign_after_minutes,
  }: Partial<Routing>,
): Routing {
  return { mode, bot_id, reassign_after_minutes };
}

function changeRules(
  rules: AttachmentRules,
  { max_bytes = rules.max_bytes, mime_types = rules.mime_types }: Partial<AttachmentRules>,
): AttachmentRules {
  return { max_bytes, mime_types: [...new Set(mime_types)] };
}

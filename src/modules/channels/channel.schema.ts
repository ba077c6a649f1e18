import { Rule } from '../../platform/schemas/field.js';
import {
  Choice,
  Email,
  Flag,
  Id,
  Integer,
  Nested,
  NestedList,
  Text,
  Texts,
  Time,
} from '../../platform/schemas/fields.js';
import type { BusinessHours } from '../../kernel/business-hours.js';
import { Hours, Locale } from '../../platform/schemas/local-fields.js';
import type { AttachmentRules } from './attachment-rules.js';
import { MAX_FILE_BYTES, MIME_PATTERN } from './attachment-rules.js';
import type { ChannelRecord, ChannelStatus, IdentityMode, Routing } from './channel.js';
import { CHANNEL_STATUSES, IDENTITY_MODES, isOrigin, ROUTING_MODES } from './channel.js';
import type { PreChatField, PreChatFieldType } from './pre-chat-form.js';
import { PRE_CHAT_FIELD_TYPES } from './pre-chat-form.js';
import type { WidgetConfig } from './widget-config.js';

const COLOR = /^#[0-9a-fA-F]{6}$/;
const WEB_ADDRESS = /^https?:\/\//;
const optional = true;

/**
 * PATCH and creation share a body in two versions. In PATCH null clears a field; the `Create…` version excludes null,
 * because a new channel has nothing to clear.
 */
export class UpdateWidgetThemeBody {
  @Text({ optional, pattern: COLOR, max: 7, example: '#0b6e4f' }) primary_color?: string;
  @Choice(['light', 'dark', 'auto'], { optional }) mode?: WidgetConfig['theme']['mode'];
  @Choice(['left', 'right'], { optional }) position?: WidgetConfig['theme']['position'];
  @Text({ optional, max: 40, example: 'Chat with us' }) launcher_label?: string;
  @Text({ optional, nullable: true, max: 2048, pattern: WEB_ADDRESS, example: 'https://shop.example/logo.svg' })
  logo_url?: string | null;
}

export class CreateWidgetThemeBody extends UpdateWidgetThemeBody {
  @Text({ optional, max: 2048, pattern: WEB_ADDRESS }) declare logo_url?: string;
}

export class PreChatFieldBody implements PreChatField {
  @Text({ max: 50, pattern: /^[a-z0-9_]+$/, example: 'order_number' }) key!: string;
  @Text({ example: 'Order number' }) label!: string;
  @Choice(PRE_CHAT_FIELD_TYPES) type!: PreChatFieldType;
  @Flag({ description: 'A required checkbox must be checked.' }) required!: boolean;
  @Texts({ optional, maxItems: 50, description: 'The choices of a `select`; required there.' }) options?: string[];
}

export class PreChatFormBody {
  @Flag({ optional }) enabled?: boolean;
  @NestedList(() => PreChatFieldBody, { optional, maxItems: 20 }) fields?: PreChatFieldBody[];
}

export class WidgetFeaturesBody {
  @Flag({ optional }) attachments?: boolean;
  @Flag({ optional }) emoji?: boolean;
  @Flag({ optional }) typing?: boolean;
  @Flag({ optional }) read_receipts?: boolean;
  @Flag({ optional }) csat?: boolean;
  @Flag({ optional }) transcript?: boolean;
  @Flag({ optional, description: 'Lets visitors end their chat.' }) end_chat?: boolean;
}

const AWAY_MESSAGE =
  'The answer to a contact who writes outside business hours, or while no member is online. Sent once each time that the conversation is opened or reopened. Empty: none.';

const LOCALE = "Language of the widget's texts. Null: the first of the browser's languages that the widget has.";

export class UpdateWidgetConfigBody {
  @Text({ optional, example: 'Support' }) title?: string;
  @Text({ optional, min: 0, max: 1000, example: 'Hello! How can we help?' }) greeting?: string;
  @Text({
    optional,
    min: 0,
    max: 1000,
    example: 'We are away and will answer by e-mail.',
    description: AWAY_MESSAGE,
  })
  away_message?: string;
  @Locale({ optional, nullable: true, description: LOCALE }) locale?: string | null;
  @Nested(() => UpdateWidgetThemeBody, { optional }) theme?: UpdateWidgetThemeBody;
  @Nested(() => PreChatFormBody, { optional }) pre_chat_form?: PreChatFormBody;
  @Nested(() => WidgetFeaturesBody, { optional }) features?: WidgetFeaturesBody;
}

export class CreateWidgetConfigBody extends UpdateWidgetConfigBody {
  @Locale({ optional, description: LOCALE }) declare locale?: string;
  @Nested(() => CreateWidgetThemeBody, { optional }) declare theme?: CreateWidgetThemeBody;
}

const ROUTING_MODE =
  'Decides who gets open conversations without an assignee. With `manual`, an agent takes them. Otherwise the service assigns each to a member who sees the channel, is online and has fewer than `capacity` open conversations: with `round_robin` to the one who got one of this channel longest ago, with `least_loaded` to the one with the fewest open conversations. While nobody is free they wait, and a member who becomes free gets the first by priority, then by `waiting_since`, then by age. A change applies to open conversations too.';
const REASSIGN_AFTER =
  'A conversation whose contact waits is unassigned when its assignee has been offline for so many minutes, so that others get it. Counts from the assignment if that is later. Connections are confirmed about once a minute, so it takes 150 seconds at least. `null` turns it off.';
const REASSIGN_BOUNDS = { min: 1, max: 10_080, nullable: true, description: REASSIGN_AFTER };

const MAX_FOLLOWUP_MINUTES = 7 * 24 * 60;
const FOLLOWUP =
  "Minutes after which an agent's unread answer goes to the contact by mail, if none of its sockets is open. Null: never.";
const REPLY_EMAIL = 'Receives replies to such mails. Null: the mail says that nobody reads replies.';
const KEPT_QUERY_PARAMS =
  "Names of query parameters that agents may see in the URLs of a visitor's pages. All others are cut.";

const ROUTED_BOT =
  'The bot that answers first: new conversations of visitors begin as `pending` with it, while it is enabled. Another bot, or `null`, hands its conversations of the channel over to people.';

export class UpdateRoutingBody {
  @Choice(ROUTING_MODES, { optional, description: ROUTING_MODE }) mode?: Routing['mode'];
  @Id({ optional, nullable: true, description: ROUTED_BOT }) bot_id?: string | null;
  @Integer({ ...REASSIGN_BOUNDS, optional }) reassign_after_minutes?: number | null;
}

export class CreateRoutingBody extends UpdateRoutingBody {
  @Id({ optional, description: ROUTED_BOT }) declare bot_id?: string;
  @Integer({ ...REASSIGN_BOUNDS, optional, nullable: false }) declare reassign_after_minutes?: number;
}

const MIME_TYPES = 'Content types that visitors may attach, such as `image/*`, among those that anybody may send.';
const MIME_LIST = { maxItems: 100, max: 255, pattern: MIME_PATTERN, description: MIME_TYPES };

export class AttachmentRulesBody {
  @Integer({ optional, min: 1, max: MAX_FILE_BYTES }) max_bytes?: number;
  @Texts({ optional, ...MIME_LIST }) mime_types?: string[];
}

export class AttachmentRulesView implements AttachmentRules {
  @Integer({ min: 1, max: MAX_FILE_BYTES }) max_bytes!: number;
  @Texts(MIME_LIST) mime_types!: string[];
}

export class UpdateChannelBody {
  @Text({ optional, example: 'Web shop' }) name?: string;
  @Choice(CHANNEL_STATUSES, { optional }) status?: ChannelStatus;
  @Texts({ optional, maxItems: 100, max: 2048 })
  @Rule('origin', isOrigin, 'must contain origins such as https://shop.example', true)
  allowed_origins?: string[];
  @Choice(IDENTITY_MODES, { optional }) identity_verification?: IdentityMode;
  @Nested(() => UpdateRoutingBody, { optional }) routing?: UpdateRoutingBody;
  @Flag({ optional }) single_conversation?: boolean;
  @Integer({ optional, min: 0, max: 8760 }) reopen_window_hours?: number;
  @Integer({ optional, nullable: true, min: 1, max: 8760 }) auto_resolve_hours?: number | null;
  @Flag({ optional, description: 'Lets visitors rate resolved conversations.' }) csat_enabled?: boolean;
  @Integer({ optional, nullable: true, min: 1, max: MAX_FOLLOWUP_MINUTES, example: 30, description: FOLLOWUP })
  followup_email_minutes?: number | null;
  @Email({ optional, nullable: true, description: REPLY_EMAIL }) reply_email?: string | null;
  @Hours({ optional }) business_hours?: BusinessHours | null;
  @Texts({ optional, maxItems: 20, max: 100, description: KEPT_QUERY_PARAMS }) kept_query_params?: string[];
  @Nested(() => AttachmentRulesBody, { optional }) attachments?: AttachmentRulesBody;
  @Nested(() => UpdateWidgetConfigBody, { optional }) widget_config?: UpdateWidgetConfigBody;
}

export class CreateChannelBody extends UpdateChannelBody {
  @Text() declare name: string;
  @Nested(() => CreateRoutingBody, { optional }) declare routing?: CreateRoutingBody;
  @Integer({ optional, min: 1, max: 8760 }) declare auto_resolve_hours?: number;
  @Integer({ optional, min: 1, max: MAX_FOLLOWUP_MINUTES, example: 30, description: FOLLOWUP })
  declare followup_email_minutes?: number;
  @Email({ optional, description: REPLY_EMAIL }) declare reply_email?: string;
  @Hours({ optional, nullable: false }) declare business_hours?: BusinessHours;
  @Nested(() => CreateWidgetConfigBody, { optional }) declare widget_config?: CreateWidgetConfigBody;
}

export class RotateTokenQuery {
  @Choice(['true', 'false'], {
    optional,
    description: "Also revoke all visitor tokens of the channel and close its visitors' sockets.",
  })
  end_sessions?: 'true' | 'false';
}

export class RoutingView implements Routing {
  @Choice(ROUTING_MODES, { description: ROUTING_MODE }) mode!: Routing['mode'];
  @Id({ nullable: true, description: ROUTED_BOT }) bot_id!: string | null;
  @Integer(REASSIGN_BOUNDS) reassign_after_minutes!: number | null;
}

export class WidgetThemeView {
  @Text({ example: '#0b6e4f' }) primary_color!: string;
  @Choice(['light', 'dark', 'auto']) mode!: WidgetConfig['theme']['mode'];
  @Choice(['left', 'right']) position!: WidgetConfig['theme']['position'];
  @Text({ example: 'Chat with us' }) launcher_label!: string;
  @Text({ nullable: true, max: 2048, example: 'https://shop.example/logo.svg' }) logo_url!: string | null;
}

export class PreChatFormView {
  @Flag() enabled!: boolean;
  @NestedList(() => PreChatFieldBody) fields!: PreChatFieldBody[];
}

export class WidgetFeaturesView {
  @Flag() attachments!: boolean;
  @Flag() emoji!: boolean;
  @Flag() typing!: boolean;
  @Flag() read_receipts!: boolean;
  @Flag() csat!: boolean;
  @Flag() transcript!: boolean;
  @Flag() end_chat!: boolean;
}

/** Widget settings as admins set them. Visitors get them with limits and current availability. */
export class WidgetSettingsView implements WidgetConfig {
  @Text({ example: 'Support' }) title!: string;
  @Text({ min: 0, max: 1000, example: 'Hello! How can we help?' }) greeting!: string;
  @Text({ min: 0, max: 1000, example: 'We are away and will answer by e-mail.', description: AWAY_MESSAGE })
  away_message!: string;
  @Locale({ nullable: true, description: LOCALE }) locale!: string | null;
  @Nested(() => WidgetThemeView) theme!: WidgetThemeView;
  @Nested(() => PreChatFormView) pre_chat_form!: PreChatFormView;
  @Nested(() => WidgetFeaturesView) features!: WidgetFeaturesView;
}

export class ChannelView implements ChannelRecord {
  @Id() id!: string;
  @Text({ example: 'Web shop' }) name!: string;
  @Choice(['widget']) type!: 'widget';
  @Choice(CHANNEL_STATUSES) status!: ChannelStatus;
  @Text({ example: 'wt_…', description: 'Public token that the page contains.' }) widget_token!: string;
  @Texts({ maxItems: 100, max: 2048 }) allowed_origins!: string[];
  @Choice(IDENTITY_MODES) identity_verification!: IdentityMode;
  @Nested(() => RoutingView) routing!: RoutingView;
  @Flag() single_conversation!: boolean;
  @Integer() reopen_window_hours!: number;
  @Integer({ nullable: true }) auto_resolve_hours!: number | null;
  @Flag() csat_enabled!: boolean;
  @Integer({ nullable: true, max: MAX_FOLLOWUP_MINUTES, example: 30, description: FOLLOWUP })
  followup_email_minutes!: number | null;
  @Email({ nullable: true, description: REPLY_EMAIL }) reply_email!: string | null;
  @Hours() business_hours!: BusinessHours | null;
  @Texts({ maxItems: 20, max: 100, description: KEPT_QUERY_PARAMS }) kept_query_params!: string[];
  @Nested(() => AttachmentRulesView) attachments!: AttachmentRulesView;
  @Nested(() => WidgetSettingsView) widget_config!: WidgetSettingsView;
  @Time() created_at!: string;
  @Time() updated_at!: string;
}

/** Response to creating a channel or rotating its secret. No other response contains the secret. */
export class ChannelWithSecretView extends ChannelView {
  @Text({
    description: 'Secret that signs identity tokens. Shown only once.',
    example: 'Rm9LpJd6Gf5SaEu0iOqWkZxA4hQ0z8K1',
  })
  identity_secret!: string;
}

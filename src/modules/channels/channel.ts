import { toWireTime } from '../../kernel/clock.js';
import { randomAlphanumeric } from '../../kernel/secret.js';
import type { BusinessHours } from '../../kernel/business-hours.js';
import type { AttachmentRules } from './attachment-rules.js';
import type { WidgetConfig } from './widget-config.js';

export const CHANNEL_STATUSES = ['active', 'disabled'] as const;
export const IDENTITY_MODES = ['off', 'optional', 'required'] as const;
export const ROUTING_MODES = ['manual', 'round_robin', 'least_loaded'] as const;

export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];
export type IdentityMode = (typeof IDENTITY_MODES)[number];

export type RoutingMode = (typeof ROUTING_MODES)[number];

export interface Routing {
  mode: RoutingMode;
  bot_id: string | null;
  /** Minutes for which the assignee of a waiting contact may be offline; null for any time. */
  reassign_after_minutes: number | null;
}

/** Tells if the service assigns the conversations of the channel. */
export function assignsAutomatically({ routing, deletedAt }: Pick<Channel, 'routing' | 'deletedAt'>): boolean {
  return routing.mode !== 'manual' && deletedAt === null;
}

/** One widget on one site, through which visitors start conversations. */
export interface Channel {
  id: string;
  workspaceId: string;
  name: string;
  status: ChannelStatus;
  /** Public token that the page contains. */
  widgetToken: string;
  /** An empty list allows every origin. */
  allowedOrigins: string[];
  identityVerification: IdentityMode;
  /** Encrypted key that signs identity tokens. */
  identitySecret: string;
  /** Incremented to revoke all tokens of verified visitors. */
  verifiedGeneration: number;
  /** Incremented to revoke all tokens of unverified visitors. */
  unverifiedGeneration: number;
  routing: Routing;
  /** Allows at most one unresolved conversation per contact. */
  singleConversation: boolean;
  /** Hours after resolution in which a contact's message reopens the conversation. */
  reopenWindowHours: number;
  /** null disables auto-resolve. */
  autoResolveHours: number | null;
  csatEnabled: boolean;
  /** Minutes after which an unread answer goes to the contact by mail; null disables it. */
  followupEmailMinutes: number | null;
  /** Receives replies to such mails; null if nobody reads them. */
  replyEmail: string | null;
  /** null uses the workspace's hours. */
  businessHours: BusinessHours | null;
  /** Query parameters that stay in the URLs of visited pages; all others are cut. */
  keptQueryParams: string[];
  /** Limits for the files of visitors. */
  attachments: AttachmentRules;
  widgetConfig: WidgetConfig;
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface ChannelRecord {
  id: string;
  name: string;
  type: 'widget';
  status: ChannelStatus;
  widget_token: string;
  allowed_origins: string[];
  identity_verification: IdentityMode;
  routing: Routing;
  single_conversation: boolean;
  reopen_window_hours: number;
  auto_resolve_hours: number | null;
  csat_enabled: boolean;
  followup_email_minutes: number | null;
  reply_email: string | null;
  business_hours: BusinessHours | null;
  kept_query_params: string[];
  attachments: AttachmentRules;
  widget_config: WidgetConfig;
  created_at: string;
  updated_at: string;
}

export function toChannelRecord(channel: Channel): ChannelRecord {
  return {
    id: channel.id,
    name: channel.name,
    type: 'widget',
    status: channel.status,
    widget_token: channel.widgetToken,
    allowed_origins: channel.allowedOrigins,
    identity_verification: channel.identityVerification,
    routing: channel.routing,
    single_conversation: channel.singleConversation,
    reopen_window_hours: channel.reopenWindowHours,
    auto_resolve_hours: channel.autoResolveHours,
    csat_enabled: channel.csatEnabled,
    followup_email_minutes: channel.followupEmailMinutes,
    reply_email: channel.replyEmail,
    business_hours: channel.businessHours,
    kept_query_params: channel.keptQueryParams,
    attachments: channel.attachments,
    widget_config: channel.widgetConfig,
    created_at: toWireTime(channel.createdAt),
    updated_at: toWireTime(channel.updatedAt),
  };
}

export function newWidgetToken(): string {
  return `wt_${randomAlphanumeric(32)}`;
}

/** Accepts an origin as browsers send it: scheme, host and port only. */
export function isOrigin(text: unknown): boolean {
  return typeof text === 'string' && URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

/**
 * Checks a page's origin; an empty list allows all. A request without an origin passes, because it comes from no
 * browser and could send any origin.
 */
export function isOriginAllowed(allowed: readonly string[], origin: string | undefined): boolean {
  return origin === undefined || allowed.length === 0 || allowed.includes(origin.toLowerCase());
}

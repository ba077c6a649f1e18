import { toWireTime, toWireTimeOrNull } from '../../kernel/clock.js';
import type { ChannelScope } from '../../kernel/channel-scope.js';

/** `gone`: it answered 410. `failing`: it failed for five days. A person who disables it states no reason. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An endpoint that receives events of its workspace. */
export interface Webhook {
  id: string;
  workspaceId: string;
  url: string;
  /** Patterns of event types, such as `message.*`. */
  events: string[];
  /** null for events of the whole workspace. */
  channelIds: string[] | null;
  includePrivate: boolean;
  description: string | null;
  enabled: boolean;
  disabledReason: DisabledReason | null;
  /** Encrypted; null once the webhook is deleted. */
  secret: string | null;
  /** Encrypted; it signs beside the new secret until `previousSecretUntil`. */
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  /** Database time of creating or enabling it. It receives no event recorded before. */
  enabledAt: Date;
  /**
   * Database time of disabling it last. It stays when the webhook is enabled again. Unread events from before
   * end as failed deliveries.
   */
  disabledAt: Date | null;
  /** Pending deliveries up to this number ended when it was disabled. A bigint as text. */
  endedNumber: string;
  /** The first failure since the last success; null after a success. */
  failingSince: Date | null;
  lastSuccessAt: Date | null;
  /** When its next delivery is due; null if none is pending. */
  dueAt: Date | null;
  /** The instance that delivers to it, until `leasedUntil` of the database's time. */
  lease: string | null;
  leasedUntil: Date | null;
  /** Set while its deliveries are being deleted. Nobody sees it any more. */
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Webhook in wire format, without its secret. */
export interface WebhookRecord {
  id: string;
  url: string;
  events: string[];
  channel_ids: string[] | null;
  include_private: boolean;
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  description: string | null;
  created_at: string;
  last_success_at: string | null;
}

/** With the whole URL, for API keys. */
export function toWebhookRecord(webhook: Webhook): WebhookRecord {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    channel_ids: webhook.channelIds,
    include_private: webhook.includePrivate,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    description: webhook.description,
    created_at: toWireTime(webhook.createdAt),
    last_success_at: toWireTimeOrNull(webhook.lastSuccessAt),
  };
}

/** Without the query of the URL, which often holds a credential: for people and for the event log. */
export function withoutQuery(record: WebhookRecord): WebhookRecord {
  const [url = ''] = record.url.split(/[?#]/, 1);
  return { ...record, url };
}

/** The settings by which events are selected and rendered. */
export interface EndpointSettings {
  events: readonly string[];
  channelIds: ChannelScope;
  includePrivate: boolean;
}

/** Tells whether one of the patterns names the type: `*`, `message.*` or `message.created`. */
export function selectsType(patterns: readonly string[], type: string): boolean {
  return patterns.some(pattern => pattern === '*' || pattern === type || pattern === `${type.split('.')[0]}.*`);
}

/** The end of what a webhook receives. */
export interface WebhookEnd {
  /** The number of its last delivery. A bigint as text. */
  number: string;
  /** Database time, a moment later than the last event before it. */
  time: Date;
}

/** Disables the webhook and ends what is pending. @param reason null where a person disables it */
export function disable(webhook: Webhook, end: WebhookEnd, reason: DisabledReason | null, now: Date): void {
  webhook.enabled = false;
  webhook.disabledReason = reason;
  webhook.disabledAt = end.time;
  webhook.endedNumber = end.number;
  webhook.dueAt = now;
}

/** Enables the webhook. It receives events recorded from `databaseTime` on. */
export function enable(webhook: Webhook, databaseTime: Date): void {
  webhook.enabled = true;
  webhook.disabledReason = null;
  webhook.failingSince = null;
  webhook.enabledAt = databaseTime;
}

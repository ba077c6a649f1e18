import { toWireTime } from '../../kernel/clock.js';

export const BOT_STATUSES = ['enabled', 'disabled'] as const;
export type BotStatus = (typeof BOT_STATUSES)[number];

/** Seconds without an answer. Fewer than 5 leave no time to answer; after ten minutes the visitor has left. */
export const TIMEOUT_SECONDS = { min: 5, max: 600, default: 120 } as const;
/** Time for which a rotated secret still signs deliveries. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60_000;
export const HISTORY_COUNT = { max: 10, default: 10 } as const;

/** A program that takes part in conversations. Each workspace has one system bot, the sender of timeline entries. */
export interface Bot {
  id: string;
  workspaceId: string;
  kind: 'system' | 'custom';
  name: string;
  description: string | null;
  avatarUrl: string | null;
  status: BotStatus;
  /** URL that receives the messages of its conversations; null if it only sends through the API. */
  webhookUrl: string | null;
  /** Number of earlier messages in each delivery, 0–10. */
  historyCount: number;
  /** Seconds without an answer after which its conversations are handed off to people. */
  timeoutSeconds: number;
  /** Encrypted secret that signs deliveries; null for the system bot, which gets no deliveries. */
  secret: string | null;
  /** The encrypted secret before, which signs too until `previousSecretUntil`. */
  previousSecret: string | null;
  previousSecretUntil: Date | null;
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Bot in wire format, without its secret. */
export interface BotRecord {
  id: string;
  name: string;
  description: string | null;
  avatar_url: string | null;
  status: BotStatus;
  webhook_url: string | null;
  history_count: number;
  timeout_seconds: number;
  created_at: string;
  updated_at: string;
}

/** The bot as agents, sockets and webhooks see it: the query of its URL may hold a secret of its server. */
export function withoutQuery<Record extends { webhook_url: string | null }>(record: Record): Record {
  return { ...record, webhook_url: record.webhook_url?.replace(/\?.*$/s, '') ?? null };
}

export function toBotRecord(bot: Bot): BotRecord {
  return {
    id: bot.id,
    name: bot.name,
    description: bot.description,
    avatar_url: bot.avatarUrl,
    status: bot.status,
    webhook_url: bot.webhookUrl,
    history_count: bot.historyCount,
    timeout_seconds: bot.timeoutSeconds,
    created_at: toWireTime(bot.createdAt),
    updated_at: toWireTime(bot.updatedAt),
  };
}

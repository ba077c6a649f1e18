import { toWireTime } from '../../kernel/clock.js';

export const BOT_STATUSES = ['enabled', 'disabled'] as const;
export type BotStatus = (typeof BOT_STATUSES)[number];

/** Seconds of silence; less is no time to answer in, and in an hour the visitor has gone. */
export const TIMEOUT_SECONDS = { min: 5, max: 3600, default: 120 } as const;
export const HISTORY_COUNT = { max: 10, default: 10 } as const;

/** A program that talks in conversations. The system bot, one per workspace, signs what happens by itself. */
export interface Bot {
  id: string;
  workspaceId: string;
  kind: 'system' | 'custom';
  name: string;
  description: string | null;
  avatarUrl: string | null;
  status: BotStatus;
  /** Where its conversations' messages are delivered; null for one that only speaks through the API. */
  webhookUrl: string | null;
  /** How many earlier messages each delivery carries, 0–10. */
  historyCount: number;
  /** Silence after which its conversations are handed over. */
  timeoutSeconds: number;
  /** What signs its deliveries, encrypted; null for the system bot, which gets none. */
  secret: string | null;
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** A bot as the wire shows it: its secret is none of these. */
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

export const BOT_STATUSES = ['enabled', 'disabled'] as const;
export type BotStatus = (typeof BOT_STATUSES)[number];

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

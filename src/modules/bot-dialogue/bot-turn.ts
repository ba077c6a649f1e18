/**
 * `queued`: it waits for its turn, or for the next attempt. `open`: an attempt is under way. `awaiting`: the bot has
 * taken it and will answer later. The other states are final: `answered`, `cancelled` because the bot lost control (until
 * the resolve that took it is taken back), or `failed`, which handed the conversation off.
 */
export const TURN_STATES = ['queued', 'open', 'awaiting', 'answered', 'cancelled', 'failed'] as const;
export type TurnState = (typeof TURN_STATES)[number];

/** `message`: a contact's message that the bot is to answer. `ended`: tells the bot that it has lost control. */
export const TURN_KINDS = ['message', 'ended'] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

/** Why a bot has lost control, as `conversation.ended` tells it. */
export type EndReason = 'taken' | 'handed_off' | 'resolved' | 'closed_by_contact';

/** The reason of a handoff because the bot has failed or said nothing in time. */
export const UNRESPONSIVE = 'bot_unresponsive';

export const MAX_ATTEMPTS = 3;
/** Pauses after failed attempts. */
const PAUSES_MS = [2_000, 8_000];

/**
 * One delivery to a bot, whose id is the `delivery_id` and `webhook-id` of every attempt. It holds no words of people:
 * the body is made from the live rows at each attempt.
 */
export interface BotTurn {
  workspaceId: string;
  id: string;
  kind: TurnKind;
  conversationId: string;
  botId: string;
  /** The message to answer; null for `ended`. */
  messageId: string | null;
  /** Position of the message. Turns of a conversation are delivered in its order. */
  seq: number;
  reason: EndReason | null;
  state: TurnState;
  attempts: number;
  /**
   * The next attempt, the end of the lease of the attempt under way, or the end of waiting for a later answer. Null
   * while an earlier turn is unfinished, and at the end.
   */
  dueAt: Date | null;
  /** When the conversation is handed off unless the bot gives a sign; null before the first attempt. */
  deadlineAt: Date | null;
  /** True once the bot has sent a message since the first attempt, in an answer or through the API. */
  hasMessage: boolean;
  /** Changes with each claim, so that an instance that was paused cannot store anything late. */
  lease: string | null;
  createdAt: Date;
  endedAt: Date | null;
}

/** When a turn whose attempt failed is tried again; null after the last attempt. */
export function retryAt({ attempts, deadlineAt }: Pick<BotTurn, 'attempts' | 'deadlineAt'>, now: Date): Date | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined || attempts >= MAX_ATTEMPTS) return null;
  const next = new Date(now.getTime() + pause);
  return deadlineAt !== null && deadlineAt < next ? deadlineAt : next;
}

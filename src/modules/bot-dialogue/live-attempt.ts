import type { Bot } from '../bots/index.js';
import type { Conversation } from '../conversations/index.js';
import type { ClaimedTurn } from './bot-turns.repository.js';
import type { DraftStream } from './draft-stream.js';

/** An attempt that this instance has under way. */
export class LiveAttempt {
  /** When the conversation is handed off unless the bot gives a sign. */
  deadlineAt: Date;
  /** The message that the bot is writing. */
  draft: DraftStream | null = null;
  /** Number of messages that the answer has so far. */
  messages = 0;
  /** True once a message was streamed in part: the attempt is not made again. */
  hasBegun = false;
  /** True once the turn has ended or the answer is stored. */
  isComplete = false;
  /** True if another has taken the conversation or the turn: nothing more may be stored or shown. */
  isLost = false;
  /** True if this instance stops: it says nothing about the bot. */
  isStopped = false;
  /** Called when the time of the bot is over. */
  onDeadline = (): void => this.abort();
  private readonly aborted = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  /** @param left milliseconds until the deadline */
  constructor(
    readonly turn: ClaimedTurn,
    readonly bot: Bot,
    readonly conversation: Conversation,
    left: number,
    now: Date,
  ) {
    this.deadlineAt = new Date(now.getTime() + left);
    this.arm(left);
  }

  /** Ends the request when it is aborted. */
  get signal(): AbortSignal {
    return this.aborted.signal;
  }

  /** The bot has given a sign: its time begins anew. */
  extend(now: Date): void {
    const left = this.bot.timeoutSeconds * 1_000;
    this.deadlineAt = new Date(now.getTime() + left);
    this.arm(left);
  }

  /** Adopts a deadline that another instance has set. */
  adopt(deadlineAt: Date, now: Date): void {
    if (deadlineAt <= this.deadlineAt) return;
    this.deadlineAt = deadlineAt;
    this.arm(deadlineAt.getTime() - now.getTime());
  }

  abort(): void {
    this.aborted.abort();
  }

  stop(): void {
    this.isStopped = true;
    this.abort();
  }

  lose(): void {
    this.isLost = true;
    this.abort();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private arm(left: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onDeadline(), Math.max(0, left)).unref();
  }
}

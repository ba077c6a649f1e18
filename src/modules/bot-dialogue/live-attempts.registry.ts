import { Injectable, OnApplicationBootstrap, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import { WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import type { LiveAttempt } from './live-attempt.js';

/** Time for which a claim keeps other instances from a turn. An attempt under way renews it. */
export const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
/** Attempts of an instance and of one workspace at the same time. */
const MAX_LIVE = 200;
const MAX_LIVE_OF_WORKSPACE = 50;

/**
 * The attempts that this instance has under way. Ends those whose bot loses control, on whatever instance that happens,
 * and those whose claim another instance has taken over.
 */
@Injectable()
export class LiveAttemptsRegistry implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly attempts = new Map<string, LiveAttempt>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tail: EventTailJob,
    private readonly turns: BotTurnsRepository,
    private readonly work: WorkerDependencies,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tail.listen(event => {
      if (event.type === 'conversation.updated') this.endIfLost(event as RecordedEvent<'conversation.updated'>);
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), RENEW_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Number of attempts that may begin. */
  get room(): number {
    return MAX_LIVE - this.attempts.size;
  }

  ids(): string[] {
    return [...this.attempts.keys()];
  }

  /** Workspaces that have as many attempts under way as one may have. */
  fullWorkspaceIds(): string[] {
    const counts = new Map<string, number>();
    for (const { turn } of this.attempts.values()) {
      counts.set(turn.workspaceId, (counts.get(turn.workspaceId) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= MAX_LIVE_OF_WORKSPACE).map(([id]) => id);
  }

  add(attempt: LiveAttempt): void {
    attempt.onDeadline = () => void this.endIfOver(attempt);
    this.attempts.set(attempt.turn.id, attempt);
  }

  remove(attempt: LiveAttempt): void {
    attempt.end();
    this.attempts.delete(attempt.turn.id);
  }

  /** Gives the bot's attempts of the conversation more time. */
  extend(conversationId: string, botId: string): void {
    for (const attempt of this.attempts.values()) {
      const { turn } = attempt;
      if (turn.conversationId === conversationId && turn.botId === botId) attempt.extend(this.clock.now());
    }
  }

  /** Ends all requests under way, because this instance stops. */
  stopAll(): void {
    for (const attempt of this.attempts.values()) attempt.stop();
  }

  /** Ends an attempt whose time is over, unless the bot has given a sign to another instance. */
  private async endIfOver(attempt: LiveAttempt): Promise<void> {
    const { deadlineAt } = attempt;
    await this.renew().catch(() => undefined);
    if (attempt.deadlineAt <= deadlineAt) attempt.abort();
  }

  /** An attempt that began after the change has got the control back since. */
  private endIfLost({ conversationId, payload: { changes, version } }: RecordedEvent<'conversation.updated'>): void {
    if (changes.status === undefined || changes.status.to === 'pending') return;
    for (const attempt of this.attempts.values()) {
      const { turn, conversation, isComplete } = attempt;
      if (turn.conversationId !== conversationId || conversation.version >= version) continue;
      if (!isComplete) attempt.lose();
    }
  }

  private async renew(): Promise<void> {
    const attempts = [...this.attempts.values()];
    if (attempts.length === 0) return;
    const claims = attempts.map(({ turn, deadlineAt }) => ({ ...turn, deadlineAt }));
    const leaseEnd = new Date(this.clock.now().getTime() + LEASE_MS);
    const deadlines = await this.work.query(() => this.turns.renew(claims, leaseEnd));
    for (const attempt of attempts) {
      const deadlineAt = deadlines.get(attempt.turn.id);
      if (deadlineAt) attempt.adopt(deadlineAt, this.clock.now());
      else if (!attempt.isComplete) attempt.lose();
    }
  }
}

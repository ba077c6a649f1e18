import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { BotAttemptsService } from './bot-attempts.service.js';
import type { ClaimedTurn } from './bot-turns.repository.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import { LEASE_MS, LiveAttemptsRegistry } from './live-attempts.registry.js';

/** Time that answers under way get when the service stops. */
const STOP_MS = 4_000;

/** Delivers due turns to bots. An attempt may take minutes, so it runs beside the worker, which only begins it. */
@Injectable()
export class BotTurnsWorker extends DueWorker<ClaimedTurn> {
  protected readonly name = 'bot_turns';
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    dependencies: WorkerDependencies,
    private readonly turns: BotTurnsRepository,
    private readonly attempts: BotAttemptsService,
    private readonly live: LiveAttemptsRegistry,
  ) {
    super(dependencies);
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    const ended = Promise.all(this.underWay);
    await Promise.race([ended, delay(STOP_MS, undefined, { ref: false })]);
    this.live.stopAll();
    await Promise.race([ended, delay(STOP_MS, undefined, { ref: false })]);
  }

  protected async claim(query: DueQuery): Promise<ClaimedTurn[]> {
    const { room } = this.live;
    const mayCall = room > 0;
    const limit = mayCall ? Math.min(query.limit, room) : query.limit;
    const leaseEnd = new Date(query.now.getTime() + LEASE_MS);
    const exceptIds = [...query.exceptIds, ...this.live.ids()];
    const fullWorkspaceIds = this.live.fullWorkspaceIds();
    return this.turns.claim({ ...query, limit, exceptIds }, leaseEnd, { mayCall, fullWorkspaceIds });
  }

  protected work(turn: ClaimedTurn): Promise<boolean> {
    const attempt = this.attempts.run(turn).finally(() => {
      this.underWay.delete(attempt);
      this.wake();
    });
    this.underWay.add(attempt);
    return Promise.resolve(true);
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.turns.measure(now);
  }
}

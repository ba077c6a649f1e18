import { setTimeout as delay } from 'node:timers/promises';
import { BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { AttemptsService } from './attempts.service.js';
import { EndpointRun } from './endpoint-run.js';
import type { LeasedWebhook } from './leases.repository.js';
import { LeasesRepository } from './leases.repository.js';
import type { PendingDelivery } from './pending-deliveries.repository.js';
import { PendingDeliveriesRepository } from './pending-deliveries.repository.js';

/** Webhooks to which this instance delivers at the same time. */
const MAX_RUNS = 500;
/** Rows per transaction when deliveries of a disabled or deleted webhook end. */
const SLICE = 1_000;
/** Maximum wait for attempts under way when the service stops. */
const STOP_MS = 5_000;

/**
 * Delivers to webhooks that have something due. The worker only takes leases: each webhook then runs by itself, so that
 * a slow one delays no other.
 */
@Injectable()
export class WebhooksWorker extends DueWorker<LeasedWebhook> implements BeforeApplicationShutdown {
  protected readonly name = 'webhooks';
  private readonly runs = new Map<string, EndpointRun>();
  private readonly ended = new Map<string, Promise<void>>();
  private stopping = false;

  constructor(
    dependencies: WorkerDependencies,
    private readonly leases: LeasesRepository,
    private readonly pending: PendingDeliveriesRepository,
    private readonly attempts: AttemptsService,
  ) {
    super(dependencies);
  }

  override wake(): void {
    for (const run of this.runs.values()) run.wake();
    super.wake();
  }

  /** Requests to other hosts are cancelled soon after, and a delivery must not overtake a cancelled one. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const run of this.runs.values()) run.drain();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.race([this.allEnded(), delay(STOP_MS, undefined, { ref: false })]);
    for (const run of this.runs.values()) run.abort();
    await this.allEnded();
  }

  /** Without those that run here already: their lease may have ended while this process was paused. */
  protected async claim(query: DueQuery): Promise<LeasedWebhook[]> {
    const limit = Math.min(query.limit, MAX_RUNS - this.ended.size);
    if (this.stopping || limit <= 0) return [];
    return this.leases.claim({ ...query, limit, exceptIds: [...query.exceptIds, ...this.ended.keys()] });
  }

  protected work(webhook: LeasedWebhook): Promise<boolean> {
    const ending = this.deliver(webhook)
      .catch((error: unknown) =>
        this.logger.warn(`deliveries to webhook ${webhook.id} are interrupted: ${String(error)}`),
      )
      .finally(() => {
        this.runs.delete(webhook.id);
        this.ended.delete(webhook.id);
      });
    this.ended.set(webhook.id, ending);
    return Promise.resolve(true);
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.leases.measure(now);
  }

  private async deliver(webhook: LeasedWebhook): Promise<void> {
    if (webhook.deleted) return this.deleteAll(webhook);
    if (webhook.ended) await this.endAll(webhook);
    const isLeased = !webhook.enabled || (await this.run(webhook));
    if (isLeased) await this.dependencies.query(() => this.leases.release(webhook));
  }

  private run(webhook: LeasedWebhook): Promise<boolean> {
    const run = new EndpointRun(webhook, {
      find: (lane, after, underWay, limit) =>
        this.dependencies.query(() => this.find(webhook, lane, after, underWay, limit)),
      attempt: ({ id }, signal) => this.attempts.perform(webhook.workspaceId, id, signal),
      renew: () => this.dependencies.query(() => this.leases.renew(webhook)),
    });
    this.runs.set(webhook.id, run);
    if (this.stopping) run.drain();
    return run.run();
  }

  private find(
    webhook: LeasedWebhook,
    lane: 'live' | 'replay' | 'retry',
    after: string,
    underWay: readonly string[],
    limit: number,
  ): Promise<PendingDelivery[]> {
    if (lane !== 'retry') return this.pending.findInOrder(webhook, lane, after, limit);
    return this.pending.findDueRetries(webhook, this.dependencies.clock.now(), underWay, limit);
  }

  /** Ends what is pending from before the webhook was disabled. */
  private async endAll(webhook: LeasedWebhook): Promise<void> {
    while ((await this.slice(webhook, () => this.pending.endSlice(webhook, SLICE))) === SLICE);
  }

  private async deleteAll(webhook: LeasedWebhook): Promise<void> {
    while ((await this.slice(webhook, () => this.pending.deleteSlice(webhook, SLICE))) === SLICE);
    await this.transaction(() => this.pending.deleteWebhook(webhook));
  }

  /** @returns 0 once another instance has the lease */
  private slice(webhook: LeasedWebhook, change: () => Promise<number>): Promise<number> {
    return this.transaction(async () => ((await this.leases.renew(webhook)) ? change() : 0));
  }

  private async allEnded(): Promise<void> {
    await Promise.all(this.ended.values());
  }
}

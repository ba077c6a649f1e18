import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock, toWireTime } from '../../kernel/clock.js';
import { NotFound, ValidationFailed } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import type { ReplaySelection } from './replays.repository.js';
import { ReplaysRepository } from './replays.repository.js';
import { ReplayWorker } from './replay.worker.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import type { Webhook } from './webhook.js';
import { selectsType } from './webhook.js';
import { ReplayRunning, WebhookDisabled } from './webhooks.errors.js';
import { WebhooksRepository } from './webhooks.repository.js';

const MAX_EVENTS = 100_000;

export interface ReplayRequest {
  from: string;
  to: string;
  only_failed?: boolean | undefined;
}

/** Queues earlier events for a webhook again. */
@Injectable()
export class ReplaysService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly webhooks: WebhooksRepository,
    private readonly replays: ReplaysRepository,
    private readonly checks: WebhookChecksService,
    private readonly events: EventLogService,
    private readonly limiter: RateLimitService,
    private readonly worker: ReplayWorker,
    private readonly clock: Clock,
  ) {}

  /**
   * Selects the events and leaves queueing to a worker.
   * @throws NotFound, ValidationFailed, WebhookDisabled, ReplayRunning, RateLimited
   */
  async begin(
    principal: StaffPrincipal,
    webhookId: string,
    request: ReplayRequest,
  ): Promise<{ id: string; queued: number }> {
    if (new Date(request.from) >= new Date(request.to)) throw invalid('to', 'range', 'must be later than from');
    await this.assertReady(await this.webhooks.findVisible(principal, webhookId));
    await this.limiter.consume('webhook_replay', webhookId);
    return this.units.run(async () => {
      const webhook = await this.assertReady(await this.webhooks.lockVisible(principal, webhookId));
      const selection = this.selectionFor(webhook, request);
      const positions = await this.replays.findPositions(selection, MAX_EVENTS + 1);
      if (positions.length > MAX_EVENTS) throw invalid('from', 'too_many', 'selects more than 100,000 events');
      const id = newId();
      await this.replays.insert(selection, id, positions, this.clock.now());
      await this.recordEvent(principal, selection, id, positions.length);
      this.worker.wakeAfterCommit();
      return { id, queued: positions.length };
    });
  }

  private async assertReady(webhook: Webhook | null): Promise<Webhook> {
    if (!webhook) throw new NotFound();
    if (!webhook.enabled) throw new WebhookDisabled();
    const { workspaceId, id, endedNumber } = webhook;
    if (await this.replays.hasPending(workspaceId, id, endedNumber)) throw new ReplayRunning();
    return webhook;
  }

  private selectionFor(webhook: Webhook, { from, to, only_failed: onlyFailed = false }: ReplayRequest) {
    const { workspaceId, id, events, includePrivate, channelIds, endedNumber, createdAt } = webhook;
    const types = this.checks.offered.filter(type => selectsType(events, type));
    const since = new Date(Math.max(new Date(from).getTime(), createdAt.getTime()));
    const range = { from: since, to: new Date(to) };
    const view = { types, includePrivate, channelIds, contactTypes: this.checks.contactTypes };
    return { workspaceId, webhookId: id, ...range, ...view, onlyFailed, endedNumber };
  }

  private async recordEvent(
    principal: StaffPrincipal,
    { workspaceId, webhookId, from, to, onlyFailed }: ReplaySelection,
    replayId: string,
    queued: number,
  ): Promise<void> {
    const range = { from: toWireTime(from), to: toWireTime(to) };
    const payload = { id: webhookId, replay_id: replayId, ...range, only_failed: onlyFailed, queued };
    await this.events.record({ type: 'webhook.replayed', workspaceId, actor: actorOf(principal), payload });
  }
}

function invalid(field: string, code: string, message: string) {
  return new ValidationFailed({ details: [{ field, code, message: `${field} ${message}` }] });
}

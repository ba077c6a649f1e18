import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { systemOf } from '../../kernel/principal.js';
import { actorOf } from '../../kernel/actor.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { Webhook } from './webhook.js';
import { disable, toWebhookRecord, withoutQuery } from './webhook.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Time of nothing but failures after which a webhook is disabled. */
const FAILING_MS = 5 * 24 * 3_600_000;

/** Disables webhooks whose endpoint is gone or keeps failing. */
@Injectable()
export class WebhookDisablingService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly webhooks: WebhooksRepository,
    private readonly events: EventLogService,
    private readonly clock: Clock,
  ) {}

  /** Disables the webhook after a 410, unless its URL has changed meanwhile. */
  async disableGone(workspaceId: string, id: string, url: string): Promise<void> {
    await this.disable(workspaceId, id, 'gone', webhook => webhook.url === url);
  }

  /** Disables the webhook if it has failed for five days. @param failingSince as it was read for the attempt */
  async disableFailing(workspaceId: string, id: string, failingSince: Date | null): Promise<void> {
    if (!this.hasFailed(failingSince)) return;
    await this.disable(workspaceId, id, 'failing', webhook => this.hasFailed(webhook.failingSince));
  }

  private hasFailed(since: Date | null): boolean {
    return since !== null && this.clock.now().getTime() - since.getTime() >= FAILING_MS;
  }

  private async disable(
    workspaceId: string,
    id: string,
    reason: 'gone' | 'failing',
    applies: (webhook: Webhook) => boolean,
  ): Promise<void> {
    const principal = systemOf(workspaceId);
    await this.units.run(async () => {
      const webhook = await this.webhooks.lockVisible(principal, id);
      if (!webhook?.enabled || !applies(webhook)) return;
      const now = this.clock.now();
      disable(webhook, await this.webhooks.findEnd(webhook), reason, now);
      webhook.updatedAt = now;
      await this.webhooks.save(webhook);
      const payload = withoutQuery(toWebhookRecord(webhook));
      await this.events.record({ type: 'webhook.disabled', workspaceId, actor: actorOf(principal), payload });
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { Page } from '../../kernel/page.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { DeliveriesQuery } from './deliveries.repository.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import type { Delivery } from './delivery.js';
import { WebhookDisabled } from './webhooks.errors.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhooksWorker } from './webhooks.worker.js';

/** Deliveries as their workspace sees them. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly webhooks: WebhooksService,
    private readonly rows: WebhooksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly worker: WebhooksWorker,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws NotFound, CursorInvalid */
  async list(principal: StaffPrincipal, webhookId: string, query: DeliveriesQuery): Promise<Page<Delivery>> {
    return this.deliveries.findPage(await this.webhooks.get(principal, webhookId), query);
  }

  /**
   * Makes a delivery due now, in whatever status it is. If it fails and its schedule has ended, it is not repeated.
   * @throws NotFound, WebhookDisabled
   */
  retry(principal: StaffPrincipal, webhookId: string, id: string): Promise<Delivery> {
    return this.units.run(async () => {
      const webhook = await this.rows.lockVisible(principal, webhookId);
      if (!webhook || !(await this.deliveries.find(webhook, id))) throw new NotFound();
      if (!webhook.enabled) throw new WebhookDisabled();
      await this.deliveries.retry(webhook, id, this.clock.now());
      this.worker.wakeAfterCommit();
      const delivery = await this.deliveries.find(webhook, id);
      if (!delivery) throw new NotFound();
      return delivery;
    });
  }
}

import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { CheckedFields } from './webhook-checks.service.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import type { Webhook } from './webhook.js';
import { disable, enable, toWebhookRecord, withoutQuery } from './webhook.js';
import type { WebhookEvent } from './webhooks.events.js';
import { WebhooksRepository } from './webhooks.repository.js';

export interface WebhookChanges extends CheckedFields {
  include_private?: boolean | undefined;
  enabled?: boolean | undefined;
  description?: string | null | undefined;
}

/** A webhook with its secret in plain text, which is shown only once. */
export interface WebhookWithSecret {
  webhook: Webhook;
  secret: string;
}

/** Settings of webhooks. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly webhooks: WebhooksRepository,
    private readonly checks: WebhookChecksService,
    private readonly secrets: WebhookSecretsService,
    private readonly events: EventLogService,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. @throws CursorInvalid */
  list(principal: StaffPrincipal, page: PageRequest): Promise<Page<Webhook>> {
    return this.webhooks.findPage(principal, page);
  }

  /** @throws NotFound */
  async get(principal: StaffPrincipal, id: string): Promise<Webhook> {
    const webhook = await this.webhooks.findVisible(principal, id);
    if (!webhook) throw new NotFound();
    return webhook;
  }

  /** Call it before a unit of work: it may wait for DNS. @throws ValidationFailed */
  assertValid(principal: StaffPrincipal, fields: CheckedFields): Promise<void> {
    return this.checks.assertValid(principal.workspaceId, fields);
  }

  /** Call `assertValid` first: `create` does not check the fields. @throws LimitReached */
  create(
    principal: StaffPrincipal,
    fields: WebhookChanges & { url: string; events: string[] },
  ): Promise<WebhookWithSecret> {
    return this.units.run(async () => {
      await this.checks.assertBelowLimit(principal.workspaceId);
      const webhook = draft(principal.workspaceId, fields, await this.webhooks.findDatabaseTime());
      applyChanges(webhook, fields);
      webhook.enabled = fields.enabled ?? true;
      const secret = this.secrets.rotate(webhook);
      webhook.previousSecretUntil = null;
      await this.webhooks.insert(webhook);
      await this.recordEvent('webhook.created', webhook, principal);
      return { webhook, secret };
    });
  }

  /**
   * Disabling ends pending deliveries as failed; enabling begins with new events. Records no event if nothing changes.
   * @throws NotFound, ValidationFailed
   */
  async update(principal: StaffPrincipal, id: string, changes: WebhookChanges): Promise<Webhook> {
    await this.assertValid(principal, changes);
    return this.units.run(async () => {
      const webhook = await this.lock(principal, id);
      const before = JSON.stringify(toWebhookRecord(webhook));
      applyChanges(webhook, changes);
      if (changes.enabled !== undefined && changes.enabled !== webhook.enabled) {
        if (changes.enabled) enable(webhook, await this.webhooks.findDatabaseTime());
        else disable(webhook, await this.webhooks.findEnd(webhook), null, this.clock.now());
      }
      if (JSON.stringify(toWebhookRecord(webhook)) === before) return webhook;
      return this.saveAndRecord('webhook.updated', webhook, principal);
    });
  }

  /** Hides the webhook and its deliveries at once. A worker deletes the rows. @throws NotFound */
  delete(principal: StaffPrincipal, id: string): Promise<void> {
    return this.units.run(async () => {
      const webhook = await this.lock(principal, id);
      const now = this.clock.now();
      disable(webhook, await this.webhooks.findEnd(webhook), null, now);
      Object.assign(webhook, { deletedAt: now, secret: null, previousSecret: null });
      await this.saveAndRecord('webhook.deleted', webhook, principal);
    });
  }

  /** The old secret signs beside the new one for 24 hours. @throws NotFound */
  rotateSecret(principal: StaffPrincipal, id: string): Promise<WebhookWithSecret> {
    return this.units.run(async () => {
      const webhook = await this.lock(principal, id);
      const secret = this.secrets.rotate(webhook);
      return { webhook: await this.saveAndRecord('webhook.secret_rotated', webhook, principal), secret };
    });
  }

  private async lock(principal: StaffPrincipal, id: string): Promise<Webhook> {
    const webhook = await this.webhooks.lockVisible(principal, id);
    if (!webhook) throw new NotFound();
    return webhook;
  }

  private async saveAndRecord(type: WebhookEvent, webhook: Webhook, by: StaffPrincipal): Promise<Webhook> {
    webhook.updatedAt = this.clock.now();
    await this.webhooks.save(webhook);
    await this.recordEvent(type, webhook, by);
    return webhook;
  }

  private async recordEvent(type: WebhookEvent, webhook: Webhook, by: StaffPrincipal): Promise<void> {
    const payload = withoutQuery(toWebhookRecord(webhook));
    await this.events.record({ type, workspaceId: webhook.workspaceId, actor: actorOf(by), payload });
  }
}

function draft(workspaceId: string, { url, events }: { url: string; events: string[] }, databaseTime: Date): Webhook {
  return {
    id: newId(),
    workspaceId,
    url,
    events,
    channelIds: null,
    includePrivate: false,
    description: null,
    enabled: true,
    disabledReason: null,
    secret: null,
    previousSecret: null,
    previousSecretUntil: null,
    enabledAt: databaseTime,
    disabledAt: null,
    endedNumber: '0',
    failingSince: null,
    lastSuccessAt: null,
    dueAt: null,
    lease: null,
    leasedUntil: null,
    deletedAt: null,
    createdAt: databaseTime,
    updatedAt: databaseTime,
  };
}

function applyChanges(webhook: Webhook, changes: WebhookChanges): void {
  webhook.url = changes.url ?? webhook.url;
  webhook.events = changes.events ?? webhook.events;
  if (changes.channel_ids !== undefined) webhook.channelIds = changes.channel_ids;
  webhook.includePrivate = changes.include_private ?? webhook.includePrivate;
  if (changes.description !== undefined) webhook.description = changes.description;
}

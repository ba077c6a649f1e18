import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CursorInvalid, LimitReached, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { PreparedEffect, PreparesEffect } from '../../platform/idempotency/prepared-effect.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { CreateWebhookBody, UpdateWebhookBody, WebhookView, WebhookWithSecretView } from './webhook.schema.js';
import type { Webhook } from './webhook.js';
import { toWebhookRecord, withoutQuery } from './webhook.js';
import { WebhooksService } from './webhooks.service.js';

@Section(
  'Webhooks',
  'Endpoints that receive the events of the workspace, signed by the Standard Webhooks scheme. Each event is delivered at least once; `webhook-id` is the id of the event on every attempt. For owners, admins and API keys.',
)
@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Summary('List webhooks, oldest first.')
  @Allow('webhooks:read')
  @AnswersPage(WebhookView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<WebhookView>> {
    return toPageView(await this.webhooks.list(caller, query), webhook => toView(caller, webhook));
  }

  @Get(':id')
  @Summary('Get a webhook. The secret is not included.')
  @Allow('webhooks:read')
  @Answers(WebhookView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<WebhookView> {
    return toView(caller, await this.webhooks.get(caller, id));
  }

  @Post()
  @Summary(
    'Create a webhook.',
    'It receives events recorded from now on. The response contains the secret, which is shown only once. A workspace has at most 20 webhooks.',
  )
  @Allow('webhooks:write')
  @Creates(WebhookWithSecretView)
  @PreparesEffect()
  @Throws(LimitReached)
  async create(
    @Caller() caller: StaffPrincipal,
    @Body() body: CreateWebhookBody,
  ): Promise<PreparedEffect<WebhookWithSecretView>> {
    await this.webhooks.assertValid(caller, body);
    return new PreparedEffect(async () => {
      const { webhook, secret } = await this.webhooks.create(caller, body);
      return { ...toView(caller, webhook), secret };
    });
  }

  @Patch(':id')
  @Summary(
    'Update a webhook.',
    'Pending deliveries follow the new settings. Disabling ends them as `failed`. Enabling begins with new events; replay those in between.',
  )
  @Allow('webhooks:write')
  @Answers(WebhookView)
  @Throws(NotFound)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateWebhookBody,
  ): Promise<WebhookView> {
    return toView(caller, await this.webhooks.update(caller, id, body));
  }

  @Delete(':id')
  @Summary('Delete a webhook and its deliveries.')
  @Allow('webhooks:write')
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.webhooks.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':id/rotate-secret')
  @Summary(
    'Rotate the secret.',
    'The old secret signs beside the new one for 24 hours: `webhook-signature` contains a signature of each.',
  )
  @Allow('webhooks:write')
  @Answers(WebhookWithSecretView)
  @Throws(NotFound)
  async rotateSecret(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<WebhookWithSecretView> {
    const { webhook, secret } = await this.webhooks.rotateSecret(caller, id);
    return { ...toView(caller, webhook), secret };
  }
}

/** People see the URL without its query. */
function toView(caller: StaffPrincipal, webhook: Webhook): WebhookView {
  const record = toWebhookRecord(webhook);
  return caller.kind === 'agent' ? withoutQuery(record) : record;
}

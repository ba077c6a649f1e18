import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { CursorInvalid, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import { DeliveriesService } from './deliveries.service.js';
import {
  ListDeliveriesQuery,
  ReplayBody,
  ReplayView,
  WebhookDeliveryView,
  WebhookTestView,
} from './delivery.schema.js';
import { toDeliveryRecord } from './delivery.js';
import { ReplaysService } from './replays.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import { ReplayRunning, WebhookDisabled } from './webhooks.errors.js';

@Section('Webhooks')
@Controller('webhooks/:webhook_id')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly replays: ReplaysService,
    private readonly tests: WebhookTestsService,
  ) {}

  @Post('test')
  @Summary(
    'Send a test event.',
    'Sends `webhook.test` once, signed like a delivery, and returns the answer of the endpoint. At most 10 a minute per workspace.',
  )
  @Allow('webhooks:write')
  @Answers(WebhookTestView)
  @Throws(NotFound)
  test(@Caller() caller: StaffPrincipal, @IdParam('webhook_id') id: string): Promise<WebhookTestView> {
    return this.tests.send(caller, id);
  }

  @Get('deliveries')
  @Summary('List the deliveries of a webhook, newest first.', 'They are kept for 30 days.')
  @Allow('webhooks:read')
  @AnswersPage(WebhookDeliveryView)
  @Throws(NotFound, CursorInvalid)
  async list(
    @Caller() caller: StaffPrincipal,
    @IdParam('webhook_id') webhookId: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<PageView<WebhookDeliveryView>> {
    return toPageView(await this.deliveries.list(caller, webhookId, query), toDeliveryRecord);
  }

  @Post('deliveries/:id/retry')
  @Summary(
    'Retry a delivery now.',
    'Works in any status. If the attempt fails, the schedule of retries continues; after its end the delivery has failed.',
  )
  @Allow('webhooks:write')
  @Answers(WebhookDeliveryView)
  @Throws(NotFound, WebhookDisabled)
  async retry(
    @Caller() caller: StaffPrincipal,
    @IdParam('webhook_id') webhookId: string,
    @IdParam() id: string,
  ): Promise<WebhookDeliveryView> {
    return toDeliveryRecord(await this.deliveries.retry(caller, webhookId, id));
  }

  @Post('replay')
  @Summary(
    'Replay earlier events.',
    'Queues the events of a time again that the webhook selects by its present settings: of the last 7 days from the event log, of 30 days from its deliveries, none from before the webhook was created, and at most 100,000. `webhook-id` is the id of the event, as before. At most 6 an hour per webhook.',
  )
  @Allow('webhooks:write')
  @Answers(ReplayView)
  @Throws(NotFound, ReplayRunning, WebhookDisabled)
  async replay(
    @Caller() caller: StaffPrincipal,
    @IdParam('webhook_id') webhookId: string,
    @Body() body: ReplayBody,
  ): Promise<ReplayView> {
    const { id, queued } = await this.replays.begin(caller, webhookId, body);
    return { replay_id: id, queued };
  }
}

import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { PreviousWebhookSecretsRepository } from './previous-webhook-secrets.repository.js';
import { WebhookChecksService } from './webhook-checks.service.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEventEntity } from './webhook-event.entity.js';
import { WebhookReplayEntity } from './webhook-replay.entity.js';
import { WebhookSecretsRepository } from './webhook-secrets.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { WebhookEntity } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WEBHOOK_EVENTS } from './webhooks.events.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [ChannelsModule],
  controllers: [WebhooksController],
  providers: [
    WebhooksRepository,
    WebhookSecretsRepository,
    PreviousWebhookSecretsRepository,
    WebhookSecretsService,
    WebhookChecksService,
    WebhooksService,
  ],
})
export class WebhooksModule {
  static readonly entities = [WebhookEntity, WebhookEventEntity, WebhookReplayEntity, WebhookDeliveryEntity];
  static readonly events = WEBHOOK_EVENTS;
}

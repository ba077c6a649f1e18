import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { MembersModule } from '../members/index.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryRetentionJob } from './delivery-retention.job.js';
import { EventCopiesListener } from './listeners/event-copies.listener.js';
import { ReplayWorker } from './replay.worker.js';
import { ReplaysRepository } from './replays.repository.js';
import { ReplaysService } from './replays.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';
import { AttemptResultsRepository } from './attempt-results.repository.js';
import { AttemptsService } from './attempts.service.js';
import { DeliveryMetricsService } from './delivery-metrics.service.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import { EventCopiesRepository } from './event-copies.repository.js';
import { LeasesRepository } from './leases.repository.js';
import { PendingDeliveriesRepository } from './pending-deliveries.repository.js';
import { PreparedAttemptsRepository } from './prepared-attempts.repository.js';
import { WebhookDisablingService } from './webhook-disabling.service.js';
import { WebhookPayloadsService } from './webhook-payloads.service.js';
import { WebhooksConsumer } from './webhooks.consumer.js';
import { WebhooksWorker } from './webhooks.worker.js';
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
  imports: [ChannelsModule, MembersModule, ContactsModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhooksRepository,
    WebhookSecretsRepository,
    PreviousWebhookSecretsRepository,
    WebhookSecretsService,
    WebhookChecksService,
    WebhooksService,
    WebhookPayloadsService,
    DeliveryQueueRepository,
    EventCopiesRepository,
    WebhooksConsumer,
    LeasesRepository,
    PendingDeliveriesRepository,
    PreparedAttemptsRepository,
    AttemptResultsRepository,
    WebhookDisablingService,
    DeliveryMetricsService,
    AttemptsService,
    WebhooksWorker,
    DeliveriesRepository,
    DeliveriesService,
    ReplaysRepository,
    ReplayWorker,
    ReplaysService,
    WebhookTestsService,
    EventCopiesListener,
    DeliveryRetentionJob,
  ],
})
export class WebhooksModule {
  static readonly entities = [WebhookEntity, WebhookEventEntity, WebhookReplayEntity, WebhookDeliveryEntity];
  static readonly events = WEBHOOK_EVENTS;
}

import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { AnswerReaderService } from './answer-reader.service.js';
import { BotAnswersService } from './bot-answers.service.js';
import { BotAttemptsService } from './bot-attempts.service.js';
import { BotDeliveriesService } from './bot-deliveries.service.js';
import { BotMetricsService } from './bot-metrics.service.js';
import { BotNoticesService } from './bot-notices.service.js';
import { BotTestsController } from './bot-tests.controller.js';
import { BotTestsService } from './bot-tests.service.js';
import { BotTurnRetentionJob } from './bot-turn-retention.job.js';
import { BotTurnEntity } from './bot-turn.entity.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import { BotTurnsWorker } from './bot-turns.worker.js';
import { BotTypingController } from './bot-typing.controller.js';
import { BotTypingService } from './bot-typing.service.js';
import { ContactMessageListener } from './listeners/contact-message.listener.js';
import { LostControlListener } from './listeners/lost-control.listener.js';
import { ReturnedControlListener } from './listeners/returned-control.listener.js';
import { LiveAttemptsRegistry } from './live-attempts.registry.js';

@Module({
  imports: [BotsModule, ContactsModule, ConversationsModule, MessagesModule],
  controllers: [BotTestsController, BotTypingController],
  providers: [
    BotTurnsRepository,
    BotMetricsService,
    BotDeliveriesService,
    BotNoticesService,
    BotAnswersService,
    AnswerReaderService,
    LiveAttemptsRegistry,
    BotAttemptsService,
    BotTurnsWorker,
    BotTestsService,
    BotTypingService,
    BotTurnRetentionJob,
    ContactMessageListener,
    LostControlListener,
    ReturnedControlListener,
  ],
})
export class BotDialogueModule {
  static readonly entities = [BotTurnEntity];
}

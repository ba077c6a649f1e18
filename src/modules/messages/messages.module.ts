import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { AttachmentsModule } from '../attachments/index.js';
import { AvailabilityModule } from '../availability/index.js';
import { BotsModule } from '../bots/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { AutomaticMessagesService } from './automatic-messages.service.js';
import { BotMessageHooks } from './bot-message-hooks.js';
import { BotLimitsService } from './bot-limits.service.js';
import { ContactMessageHooks } from './contact-message-hooks.js';
import { ContactExportController } from './contact-export/contact-export.controller.js';
import { ContactExportsService } from './contact-export/contact-exports.service.js';
import { ConversationMessagesController } from './conversation-messages.controller.js';
import { ConversationMessagesVisitorController } from './conversation-messages.visitor.controller.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { FastPathSendsRepository } from './fast-path-sends.repository.js';
import { FastPathSendsService } from './fast-path-sends.service.js';
import { ContactFilesListener } from './listeners/contact-files.listener.js';
import { MessageErasureListener } from './listeners/message-erasure.listener.js';
import { SenderMergeListener } from './listeners/sender-merge.listener.js';
import { TimelineListener } from './listeners/timeline.listener.js';
import { MentionsService } from './mentions.service.js';
import { MessageAppenderService } from './message-appender.service.js';
import { MessageEditsService } from './message-edits.service.js';
import { MessageEntity } from './message.entity.js';
import { MessageHistoryService } from './message-history.service.js';
import { MessageMetricsService } from './message-metrics.service.js';
import { MessageReadsService } from './message-reads.service.js';
import { MessagesController } from './messages.controller.js';
import { MESSAGE_EVENTS } from './messages.events.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesService } from './messages.service.js';
import { MessagesVisitorController } from './messages.visitor.controller.js';
import { SendersService } from './senders.service.js';
import { InboxConsumer } from './inbox.consumer.js';

@Module({
  imports: [
    IdempotencyModule,
    AttachmentsModule,
    BotsModule,
    ChannelsModule,
    MembersModule,
    AvailabilityModule,
    ContactsModule,
    ConversationsModule,
  ],
  controllers: [
    ConversationMessagesController,
    ConversationMessagesVisitorController,
    ContactExportController,
    MessagesController,
    MessagesVisitorController,
  ],
  providers: [
    MessagesRepository,
    FastPathSendsRepository,
    SendersService,
    BotLimitsService,
    BotMessageHooks,
    MessageMetricsService,
    MentionsService,
    MessageAppenderService,
    ContactMessageHooks,
    AutomaticMessagesService,
    FastPathSendsService,
    MessagesService,
    MessageEditsService,
    MessageReadsService,
    MessageHistoryService,
    InboxConsumer,
    ConversationStartsService,
    ContactExportsService,
    TimelineListener,
    SenderMergeListener,
    ContactFilesListener,
    MessageErasureListener,
  ],
  exports: [
    ContactMessageHooks,
    AutomaticMessagesService,
    BotLimitsService,
    BotMessageHooks,
    MessagesService,
    MessageHistoryService,
    MessageReadsService,
  ],
})
export class MessagesModule {
  static readonly entities = [MessageEntity];
  static readonly events = MESSAGE_EVENTS;
}

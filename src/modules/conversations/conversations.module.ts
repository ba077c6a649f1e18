import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { BotsModule } from '../bots/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { MembersModule } from '../members/index.js';
import { ContactConversationsController } from './contact-conversations.controller.js';
import { ContactExportController } from './contact-export.controller.js';
import { ContactExportsService } from './contact-exports.service.js';
import { ConversationChangesService } from './conversation-changes.service.js';
import { ConversationCountsRepairService } from './conversation-counts-repair.service.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import { ConversationScopesRepository } from './conversation-scopes.repository.js';
import { ConversationOpeningsService } from './conversation-openings.service.js';
import { ConversationStartsService } from './conversation-starts.service.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ConversationCounterEntity, ConversationCountsEntity, ConversationEntity } from './conversation.entity.js';
import { ConversationsController } from './conversations.controller.js';
import { CONVERSATION_EVENTS } from './conversations.events.js';
import { ConversationsRepository } from './conversations.repository.js';
import { ConversationsService } from './conversations.service.js';
import { ConversationsVisitorController } from './conversations.visitor.controller.js';
import { InboxRepository } from './inbox.repository.js';
import { AssigneeRemovalListener } from './listeners/assignee-removal.listener.js';
import { BotDeletionListener } from './listeners/bot-deletion.listener.js';
import { ContactErasureListener } from './listeners/contact-erasure.listener.js';
import { ContactMergeListener } from './listeners/contact-merge.listener.js';
import { MessageErasureListener } from './messages/listeners/message-erasure.listener.js';
import { TimelineListener } from './messages/listeners/timeline.listener.js';
import { MessageReadsService } from './messages/message-reads.service.js';
import { TimelineHooks } from './timeline-hooks.js';
import { FastPathSendsRepository } from './messages/fast-path-sends.repository.js';
import { FastPathSendsService } from './messages/fast-path-sends.service.js';
import { MessageAppenderService } from './messages/message-appender.service.js';
import { MessageEditsService } from './messages/message-edits.service.js';
import { MessageEntity } from './messages/message.entity.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { MessagesVisitorController } from './messages/messages.visitor.controller.js';
import { SendersService } from './messages/senders.service.js';

@Module({
  imports: [IdempotencyModule, BotsModule, ChannelsModule, MembersModule, ContactsModule],
  controllers: [
    ConversationsController,
    ConversationsVisitorController,
    ContactConversationsController,
    ContactExportController,
    MessagesController,
    MessagesVisitorController,
  ],
  providers: [
    ConversationsRepository,
    ConversationScopesRepository,
    InboxRepository,
    ConversationCountsRepository,
    MessagesRepository,
    MessageAppenderService,
    FastPathSendsRepository,
    FastPathSendsService,
    SendersService,
    ConversationChangesService,
    MessagesService,
    MessageEditsService,
    MessageReadsService,
    ConversationsService,
    ConversationOpeningsService,
    ConversationStartsService,
    ConversationViewsService,
    ConversationCountsRepairService,
    AssigneeRemovalListener,
    BotDeletionListener,
    ContactMergeListener,
    ContactErasureListener,
    TimelineHooks,
    TimelineListener,
    MessageErasureListener,
    ContactExportsService,
  ],
  exports: [ConversationsService],
})
export class ConversationsModule {
  static readonly entities = [ConversationEntity, ConversationCounterEntity, ConversationCountsEntity, MessageEntity];
  static readonly events = CONVERSATION_EVENTS;
}

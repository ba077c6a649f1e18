import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { BotsModule } from '../bots/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { MembersModule } from '../members/index.js';
import { Assignees } from './assignees.service.js';
import { BotHandover } from './bot-handover.service.js';
import { ContactErasure } from './contact-erasure.service.js';
import { ContactExportController } from './contact-export.controller.js';
import { ContactExports } from './contact-exports.service.js';
import { ContactMoves } from './contact-moves.service.js';
import { ContactConversationsController } from './contact-conversations.controller.js';
import { ConversationChanges } from './conversation-changes.service.js';
import { ConversationCounting } from './conversation-counting.service.js';
import { ConversationPlacesRepository } from './conversation-places.repository.js';
import { ConversationStarts } from './conversation-starts.service.js';
import { ConversationViews } from './conversation-views.service.js';
import { ConversationsController } from './conversations.controller.js';
import { ConversationsRepository } from './conversations.repository.js';
import { ConversationsService } from './conversations.service.js';
import { ConversationsVisitorController } from './conversations.visitor.controller.js';
import { InboxRepository } from './inbox.repository.js';
import { MessageAppender } from './messages/message-appender.service.js';
import { MessageEdits } from './messages/message-edits.service.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { PlainSendsRepository } from './messages/plain-sends.repository.js';
import { PlainSends } from './messages/plain-sends.service.js';
import { MessagesService } from './messages/messages.service.js';
import { MessagesVisitorController } from './messages/messages.visitor.controller.js';
import { SendersService } from './messages/senders.service.js';
import { TallyRepository } from './tally.repository.js';

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
    ConversationPlacesRepository,
    InboxRepository,
    TallyRepository,
    MessagesRepository,
    MessageAppender,
    PlainSendsRepository,
    PlainSends,
    SendersService,
    ConversationChanges,
    MessagesService,
    MessageEdits,
    ConversationsService,
    ConversationStarts,
    ConversationViews,
    ConversationCounting,
    Assignees,
    BotHandover,
    ContactMoves,
    ContactErasure,
    ContactExports,
  ],
  exports: [ConversationsService],
})
export class ConversationsModule {}

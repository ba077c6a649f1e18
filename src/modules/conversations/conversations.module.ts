import { Module } from '@nestjs/common';
import { BotsModule } from '../bots/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { MembersModule } from '../members/index.js';
import { BotControlService } from './bot-control.service.js';
import { ChannelSweepEntity } from './channel-sweep.entity.js';
import { ChannelSweepWorker } from './channel-sweep.worker.js';
import { ChannelSweepsRepository } from './channel-sweeps.repository.js';
import { TagsModule } from '../tags/index.js';
import { ContactConversationsController } from './contact-conversations.controller.js';
import { ConversationActionsService } from './conversation-actions.service.js';
import { ConversationChangeHooks } from './conversation-change-hooks.js';
import { ConversationChangesService } from './conversation-changes.service.js';
import { ConversationCountsRepairService } from './conversation-counts-repair.service.js';
import { ConversationCountsRepository } from './conversation-counts.repository.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import { ConversationOpeningsService } from './conversation-openings.service.js';
import { ConversationScopesRepository } from './conversation-scopes.repository.js';
import { ConversationViewsService } from './conversation-views.service.js';
import {
  ConversationCounterEntity,
  ConversationCountsEntity,
  ConversationEntity,
  ConversationFacetEntity,
} from './conversation.entity.js';
import { ConversationsController } from './conversations.controller.js';
import { CONVERSATION_EVENTS } from './conversations.events.js';
import { ConversationsRepository } from './conversations.repository.js';
import { ConversationsService } from './conversations.service.js';
import { ConversationsVisitorController } from './conversations.visitor.controller.js';
import { InboxFiltersService } from './inbox-filters.service.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { AssigneeRemovalListener } from './listeners/assignee-removal.listener.js';
import { BotDetachmentListener } from './listeners/bot-detachment.listener.js';
import { ContactErasureListener } from './listeners/contact-erasure.listener.js';
import { ContactMergeListener } from './listeners/contact-merge.listener.js';
import { LookHooks } from './look-hooks.js';
import { ParticipantEntity } from './participant.entity.js';
import { ParticipantsRepository } from './participants.repository.js';
import { ParticipantsService } from './participants.service.js';
import { SnoozeWorker } from './snooze.worker.js';
import { SnoozesRepository } from './snoozes.repository.js';
import { TagRemovalWorker } from './tag-removal.worker.js';
import { TagRemovalsRepository } from './tag-removals.repository.js';
import { TimelineHooks } from './timeline-hooks.js';

@Module({
  imports: [BotsModule, ChannelsModule, MembersModule, ContactsModule, TagsModule],
  controllers: [ConversationsController, ConversationsVisitorController, ContactConversationsController],
  providers: [
    ConversationsRepository,
    ConversationScopesRepository,
    InboxRepository,
    InboxFiltersService,
    ConversationCountsRepository,
    ConversationFacetsRepository,
    TimelineHooks,
    ConversationChangeHooks,
    BotControlService,
    ConversationChangesService,
    ConversationOpeningsService,
    ParticipantsRepository,
    LookHooks,
    ConversationsService,
    ConversationActionsService,
    InboxService,
    ParticipantsService,
    ConversationViewsService,
    ConversationCountsRepairService,
    ChannelSweepsRepository,
    ChannelSweepWorker,
    SnoozesRepository,
    SnoozeWorker,
    TagRemovalsRepository,
    TagRemovalWorker,
    AssigneeRemovalListener,
    BotDetachmentListener,
    ContactMergeListener,
    ContactErasureListener,
  ],
  exports: [
    BotControlService,
    ConversationsService,
    ConversationActionsService,
    InboxService,
    ParticipantsService,
    LookHooks,
    ConversationChangesService,
    ConversationOpeningsService,
    ConversationViewsService,
    InboxFiltersService,
    TimelineHooks,
    ConversationChangeHooks,
    ChannelSweepWorker,
  ],
})
export class ConversationsModule {
  static readonly entities = [
    ConversationEntity,
    ConversationFacetEntity,
    ConversationCounterEntity,
    ConversationCountsEntity,
    ChannelSweepEntity,
    ParticipantEntity,
  ];
  static readonly events = CONVERSATION_EVENTS;
}

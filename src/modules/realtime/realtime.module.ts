import { Global, Module } from '@nestjs/common';
import { ConnectionAuthorizer } from '../../platform/sockets/connection-authorizer.js';
import { AttachmentsModule } from '../attachments/index.js';
import { AuthModule } from '../auth/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { ViewsModule } from '../views/index.js';
import { AgentGateway } from './agent.gateway.js';
import { BotFramesService } from './bot-frames.service.js';
import { DeliveryService } from './delivery.service.js';
import { EventDeliveriesService } from './event-deliveries.service.js';
import { EventsController } from './events.controller.js';
import { FrameViewsService } from './frame-views.service.js';
import { HandshakeStatesRepository } from './handshake-states.repository.js';
import { HandshakeService } from './handshake.service.js';
import { ConnectionTrackerService } from './presence/connection-tracker.service.js';
import { PageReportsService } from './presence/page-reports.service.js';
import { PageViewersService } from './presence/page-viewers.service.js';
import { PresenceMetadataLoader } from './presence/presence-metadata-loader.js';
import { LastSeenService } from './presence/last-seen.service.js';
import { PresenceService } from './presence/presence.service.js';
import { AssigneePresenceService } from './presence/assignee-presence.service.js';
import { ViewingService } from './presence/viewing.service.js';
import { NotificationFramesService } from './notification-frames.service.js';
import { OwnViewsService } from './own-views.service.js';
import { RenewalService } from './renewal.service.js';
import { ReplayBudgetService } from './replay-budget.service.js';
import { ReplayService } from './replay.service.js';
import { RescopingService } from './rescoping.service.js';
import { ResumeService } from './resume.service.js';
import { TypingService } from './typing.service.js';
import { VisitorGateway } from './visitor.gateway.js';

@Global()
@Module({
  controllers: [EventsController],
  imports: [
    AuthModule,
    AttachmentsModule,
    ChannelsModule,
    MembersModule,
    ContactsModule,
    ConversationsModule,
    ViewsModule,
  ],
  providers: [
    HandshakeStatesRepository,
    HandshakeService,
    { provide: ConnectionAuthorizer, useExisting: HandshakeService },
    FrameViewsService,
    EventDeliveriesService,
    DeliveryService,
    RescopingService,
    ReplayBudgetService,
    ReplayService,
    ResumeService,
    RenewalService,
    TypingService,
    BotFramesService,
    NotificationFramesService,
    PresenceMetadataLoader,
    LastSeenService,
    ConnectionTrackerService,
    PresenceService,
    AssigneePresenceService,
    PageReportsService,
    PageViewersService,
    ViewingService,
    OwnViewsService,
    VisitorGateway,
    AgentGateway,
  ],
  exports: [ConnectionAuthorizer],
})
export class RealtimeModule {}

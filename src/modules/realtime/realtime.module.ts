import { Global, Module } from '@nestjs/common';
import { SocketDoor } from '../../platform/sockets/socket-door.js';
import { AuthModule } from '../auth/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { AgentGateway } from './agent.gateway.js';
import { DeliveryService } from './delivery.service.js';
import { EventsController } from './events.controller.js';
import { FrameViews } from './frame-views.service.js';
import { HandshakeService } from './handshake.service.js';
import { AttendanceService } from './presence/attendance.service.js';
import { Introductions } from './presence/introductions.service.js';
import { LastSeenService } from './presence/last-seen.service.js';
import { PresenceService } from './presence/presence.service.js';
import { ServingAgents } from './presence/serving-agents.service.js';
import { ViewingService } from './presence/viewing.service.js';
import { RenewalService } from './renewal.service.js';
import { ReplayBudget } from './replay-budget.js';
import { ReplayService } from './replay.service.js';
import { RescopingService } from './rescoping.service.js';
import { ResumeService } from './resume.service.js';
import { TypingService } from './typing.service.js';
import { VisitorGateway } from './visitor.gateway.js';

@Global()
@Module({
  controllers: [EventsController],
  imports: [AuthModule, ChannelsModule, MembersModule, ContactsModule, ConversationsModule],
  providers: [
    HandshakeService,
    { provide: SocketDoor, useExisting: HandshakeService },
    FrameViews,
    DeliveryService,
    RescopingService,
    ReplayBudget,
    ReplayService,
    ResumeService,
    RenewalService,
    TypingService,
    Introductions,
    LastSeenService,
    AttendanceService,
    PresenceService,
    ServingAgents,
    ViewingService,
    VisitorGateway,
    AgentGateway,
  ],
  exports: [SocketDoor],
})
export class RealtimeModule {}

import { Global, Module } from '@nestjs/common';
import { SocketDoor } from '../../platform/sockets/socket-door.js';
import { AuthModule } from '../auth/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { AgentGateway } from './agent.gateway.js';
import { DeliveryService } from './delivery.service.js';
import { EventsController } from './events.controller.js';
import { HandshakeService } from './handshake.service.js';
import { RenewalService } from './renewal.service.js';
import { ReplayService } from './replay.service.js';
import { RescopingService } from './rescoping.service.js';
import { TypingService } from './typing.service.js';
import { VisitorGateway } from './visitor.gateway.js';

@Global()
@Module({
  controllers: [EventsController],
  imports: [AuthModule, ChannelsModule, ConversationsModule],
  providers: [
    HandshakeService,
    { provide: SocketDoor, useExisting: HandshakeService },
    DeliveryService,
    RescopingService,
    ReplayService,
    RenewalService,
    TypingService,
    VisitorGateway,
    AgentGateway,
  ],
  exports: [SocketDoor],
})
export class RealtimeModule {}

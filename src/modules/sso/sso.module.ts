import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { AuthModule } from '../auth/index.js';
import { ChannelsModule } from '../channels/index.js';
import { MembersModule } from '../members/index.js';
import { AgentTokensService } from './agent-tokens.service.js';
import { SsoTicketRetentionJob } from './sso-ticket-retention.job.js';
import { SsoTicketEntity } from './sso-ticket.entity.js';
import { SsoTicketsRepository } from './sso-tickets.repository.js';
import { SsoController } from './sso.controller.js';
import { SSO_EVENTS } from './sso.events.js';
import { SsoService } from './sso.service.js';

@Module({
  imports: [ChannelsModule, MembersModule, ApiKeysModule, AuthModule],
  controllers: [SsoController],
  providers: [SsoTicketsRepository, SsoService, AgentTokensService, SsoTicketRetentionJob],
})
export class SsoModule {
  static readonly entities = [SsoTicketEntity];
  static readonly events = SSO_EVENTS;
}

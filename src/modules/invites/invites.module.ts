import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { AuthModule } from '../auth/index.js';
import { ChannelsModule } from '../channels/index.js';
import { MembersModule } from '../members/index.js';
import { UsersModule } from '../users/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { AcceptanceController } from './acceptance.controller.js';
import { AcceptanceService } from './acceptance.service.js';
import { InviteChecksService } from './invite-checks.service.js';
import { InviteLogService } from './invite-log.service.js';
import { InviteMailService } from './invite-mail.service.js';
import { InviteEntity } from './invite.entity.js';
import { InvitesController } from './invites.controller.js';
import { INVITE_EVENTS } from './invites.events.js';
import { InvitesRepository } from './invites.repository.js';
import { InvitesService } from './invites.service.js';
import { MemberDeactivationListener } from './listeners/member-deactivation.listener.js';
import { MailboxProofsService } from './mailbox-proofs.service.js';

@Module({
  imports: [WorkspacesModule, UsersModule, ChannelsModule, MembersModule, ApiKeysModule, AuthModule],
  controllers: [InvitesController, AcceptanceController],
  providers: [
    InvitesRepository,
    InvitesService,
    InviteChecksService,
    AcceptanceService,
    MailboxProofsService,
    MemberDeactivationListener,
    InviteLogService,
    InviteMailService,
  ],
})
export class InvitesModule {
  static readonly entities = [InviteEntity];
  static readonly events = INVITE_EVENTS;
}

import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { UsersModule } from '../users/index.js';
import { JoiningService } from './joining.service.js';
import { MemberAdministration } from './member-administration.service.js';
import { MemberChanges } from './member-changes.service.js';
import { MemberHoldings, MemberScopeHoldings } from './member-holdings.js';
import { MemberPresence } from './member-presence.service.js';
import { MembersController } from './members.controller.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';

@Module({
  imports: [UsersModule, ChannelsModule],
  controllers: [MembersController],
  providers: [
    MembersRepository,
    MemberChanges,
    MembersService,
    MemberAdministration,
    JoiningService,
    MemberPresence,
    MemberHoldings,
    MemberScopeHoldings,
  ],
  exports: [MembersService, MemberPresence, JoiningService, MemberHoldings, MemberScopeHoldings],
})
export class MembersModule {}

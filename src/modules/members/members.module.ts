import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { UsersModule } from '../users/index.js';
import { JoiningService } from './joining.service.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { MemberChangesService } from './member-changes.service.js';
import { MemberPresenceService } from './member-presence.service.js';
import { MemberTeardownHooks, MemberScopeHooks } from './member-teardown-hooks.js';
import { MemberEntity } from './member.entity.js';
import { MembersController } from './members.controller.js';
import { MEMBER_EVENTS } from './members.events.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';

@Module({
  imports: [UsersModule, ChannelsModule],
  controllers: [MembersController],
  providers: [
    MembersRepository,
    MemberChangesService,
    MembersService,
    MemberAdministrationService,
    JoiningService,
    MemberPresenceService,
    MemberTeardownHooks,
    MemberScopeHooks,
  ],
  exports: [MembersService, MemberPresenceService, JoiningService, MemberTeardownHooks, MemberScopeHooks],
})
export class MembersModule {
  static readonly entities = [MemberEntity];
  static readonly events = MEMBER_EVENTS;
}

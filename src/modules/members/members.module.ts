import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { UsersModule } from '../users/index.js';
import { MemberHoldings } from './member-holdings.js';
import { MembersController } from './members.controller.js';
import { MembersRepository } from './members.repository.js';
import { MembersService } from './members.service.js';

@Module({
  imports: [UsersModule, ChannelsModule],
  controllers: [MembersController],
  providers: [MembersRepository, MembersService, MemberHoldings],
  exports: [MembersService, MemberHoldings],
})
export class MembersModule {}

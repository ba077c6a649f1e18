import { Module } from '@nestjs/common';
import { AvailabilityModule } from '../availability/index.js';
import { ChannelsModule } from '../channels/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { AwayListener } from './away.listener.js';

@Module({
  imports: [WorkspacesModule, ChannelsModule, AvailabilityModule, ConversationsModule, MessagesModule],
  providers: [AwayListener],
})
export class AwayModule {}

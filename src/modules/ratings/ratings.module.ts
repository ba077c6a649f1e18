import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { RatingsService } from './ratings.service.js';
import { RatingsVisitorController } from './ratings.visitor.controller.js';

@Module({
  imports: [ChannelsModule, ContactsModule, ConversationsModule, MessagesModule],
  controllers: [RatingsVisitorController],
  providers: [RatingsService],
})
export class RatingsModule {}

import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { CannedResponsesController } from './canned-responses.controller.js';
import { CannedResponsesRepository } from './canned-responses.repository.js';
import { CannedResponsesService } from './canned-responses.service.js';

@Module({
  imports: [ChannelsModule, ContactsModule, ConversationsModule],
  controllers: [CannedResponsesController],
  providers: [CannedResponsesRepository, CannedResponsesService],
})
export class CannedResponsesModule {}

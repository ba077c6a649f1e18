import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { CannedResponseEntity } from './canned-response.entity.js';
import { CannedResponsesController } from './canned-responses.controller.js';
import { CANNED_RESPONSE_EVENTS } from './canned-responses.events.js';
import { CannedResponsesRepository } from './canned-responses.repository.js';
import { CannedResponsesService } from './canned-responses.service.js';

@Module({
  imports: [ChannelsModule, ContactsModule, ConversationsModule],
  controllers: [CannedResponsesController],
  providers: [CannedResponsesRepository, CannedResponsesService],
})
export class CannedResponsesModule {
  static readonly entities = [CannedResponseEntity];
  static readonly events = CANNED_RESPONSE_EVENTS;
}

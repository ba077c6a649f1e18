import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { BulkActionsController } from './bulk-actions.controller.js';
import { BulkActionsService } from './bulk-actions.service.js';

@Module({
  imports: [ConversationsModule, MessagesModule],
  controllers: [BulkActionsController],
  providers: [BulkActionsService],
})
export class BulkActionsModule {}

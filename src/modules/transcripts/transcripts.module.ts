import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { TranscriptMailsService } from './transcript-mails.service.js';
import { TranscriptsController } from './transcripts.controller.js';
import { TRANSCRIPT_EVENTS } from './transcripts.events.js';
import { TranscriptsService } from './transcripts.service.js';
import { TranscriptsVisitorController } from './transcripts.visitor.controller.js';

@Module({
  imports: [WorkspacesModule, ChannelsModule, ContactsModule, ConversationsModule, MessagesModule],
  controllers: [TranscriptsController, TranscriptsVisitorController],
  providers: [TranscriptsService, TranscriptMailsService],
})
export class TranscriptsModule {
  static readonly events = TRANSCRIPT_EVENTS;
}

import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MessagesModule } from '../messages/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { FollowUpMailService } from './follow-up-mail.service.js';
import { FollowUpConsumer } from './follow-up.consumer.js';
import { FollowUpEntity } from './follow-up.entity.js';
import { FollowUpWorker } from './follow-up.worker.js';
import { FollowUpsRepository } from './follow-ups.repository.js';
import { UnsubscribeLinkRetentionJob } from './unsubscribe-link-retention.job.js';
import { UnsubscribeLinkEntity } from './unsubscribe-link.entity.js';
import { UnsubscribeLinksRepository } from './unsubscribe-links.repository.js';
import { UnsubscribeLinksService } from './unsubscribe-links.service.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

@Module({
  imports: [WorkspacesModule, ChannelsModule, ContactsModule, ConversationsModule, MessagesModule],
  controllers: [UnsubscribeController],
  providers: [
    FollowUpsRepository,
    FollowUpConsumer,
    FollowUpWorker,
    FollowUpMailService,
    UnsubscribeLinksRepository,
    UnsubscribeLinksService,
    UnsubscribeLinkRetentionJob,
  ],
})
export class FollowUpsModule {
  static readonly entities = [FollowUpEntity, UnsubscribeLinkEntity];
}

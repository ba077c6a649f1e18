import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { WorkspacesModule } from '../workspaces/index.js';
import { LookListener } from './listeners/look.listener.js';
import { NotificationErasureListener } from './listeners/notification-erasure.listener.js';
import { MailedNotificationsRepository } from './mailed-notifications.repository.js';
import { NotificationMailEntity } from './notification-mail.entity.js';
import { NotificationMailService } from './notification-mail.service.js';
import { NotificationMailWorker } from './notification-mail.worker.js';
import { NotificationMailsRepository } from './notification-mails.repository.js';
import { NotificationNoticesService } from './notification-notices.service.js';
import { NotificationRetentionJob } from './notification-retention.job.js';
import { NotificationWritesService } from './notification-writes.service.js';
import { NotificationEntity } from './notification.entity.js';
import { NotificationsConsumer } from './notifications.consumer.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsRepository } from './notifications.repository.js';
import { NotificationsService } from './notifications.service.js';
import { RepliesRepository } from './replies.repository.js';

@Module({
  imports: [WorkspacesModule, MembersModule, ConversationsModule],
  controllers: [NotificationsController],
  providers: [
    NotificationsRepository,
    RepliesRepository,
    NotificationNoticesService,
    NotificationsService,
    NotificationMailsRepository,
    MailedNotificationsRepository,
    NotificationMailService,
    NotificationMailWorker,
    NotificationWritesService,
    NotificationsConsumer,
    NotificationRetentionJob,
    LookListener,
    NotificationErasureListener,
  ],
})
export class NotificationsModule {
  static readonly entities = [NotificationEntity, NotificationMailEntity];
}

import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ContactsModule } from '../contacts/index.js';
import { AttachmentEntity } from './attachment.entity.js';
import { AttachmentRemovalWorker } from './attachment-removal.worker.js';
import { AttachmentUrlsInterceptor } from './attachment-urls.interceptor.js';
import { AttachmentUrlsService } from './attachment-urls.service.js';
import { AttachmentViewsService } from './attachment-views.service.js';
import { AttachmentsController } from './attachments.controller.js';
import { AttachmentsRepository } from './attachments.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { AttachmentsVisitorController } from './attachments.visitor.controller.js';
import { DownloadsService } from './downloads.service.js';
import { FileReceiverService } from './file-receiver.service.js';
import { FileUsageEntity } from './file-usage.entity.js';
import { FilesController } from './files.controller.js';
import { PicturesService } from './pictures.service.js';
import { RemovalsRepository } from './removals.repository.js';
import { ReservationsService } from './reservations.service.js';
import { UploadsRepository } from './uploads.repository.js';
import { UploadsService } from './uploads.service.js';

@Module({
  imports: [ChannelsModule, ContactsModule],
  controllers: [AttachmentsController, AttachmentsVisitorController, FilesController],
  providers: [
    AttachmentsRepository,
    UploadsRepository,
    RemovalsRepository,
    AttachmentUrlsService,
    AttachmentViewsService,
    AttachmentUrlsInterceptor,
    FileReceiverService,
    PicturesService,
    ReservationsService,
    UploadsService,
    AttachmentsService,
    DownloadsService,
    AttachmentRemovalWorker,
  ],
  exports: [AttachmentsService, AttachmentViewsService, AttachmentUrlsInterceptor],
})
export class AttachmentsModule {
  static readonly entities = [AttachmentEntity, FileUsageEntity];
}

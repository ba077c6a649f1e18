export type { AttachmentRef } from './attachment.js';
export { MAX_PER_MESSAGE } from './attachment.js';
export type { AttachmentRecord } from './attachment-urls.service.js';
export { AttachmentUrlsInterceptor } from './attachment-urls.interceptor.js';
export { AttachmentViewsService } from './attachment-views.service.js';
export { AttachmentUnavailable } from './attachments.errors.js';
export { AttachmentsModule } from './attachments.module.js';
export { AttachmentsService } from './attachments.service.js';

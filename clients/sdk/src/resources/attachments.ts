import { path } from '../addresses.js';
import type { AuthorizedApi } from '../authorized-api.js';
import type { AttachmentView } from '../types.js';
import type { UploadOptions } from '../upload.js';

/** Files of messages. Upload one, then send its id in `attachment_ids` within 24 hours. */
export class Attachments {
  constructor(
    private readonly api: AuthorizedApi,
    private readonly base: '/v1/attachments' | '/v1/widget/attachments' = '/v1/attachments',
  ) {}

  /** @throws ApiError 413 `body_too_large` or `storage_quota`, 415 `attachment_type_refused` */
  upload(file: Blob, options: UploadOptions = {}): Promise<AttachmentView> {
    return this.api.upload(this.base, file, options);
  }

  /** Returns the attachment with a URL that holds for another hour. */
  get(id: string): Promise<AttachmentView> {
    return this.api.get(`${this.base}${path`/${id}`}`);
  }
}

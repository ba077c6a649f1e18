import { defineError } from '../../kernel/domain-error.js';

export const AttachmentUnavailable = defineError(
  'invalid',
  'attachment_unavailable',
  'A file in `attachment_ids` does not exist, was sent before, has expired, or is not yours.',
);
export const AttachmentTypeRefused = defineError(
  'unsupported_media_type',
  'attachment_type_refused',
  'Files of this type are not accepted here.',
);
export const StorageQuota = defineError(
  'too_large',
  'storage_quota',
  'This file would exceed a quota: your unsent files, your uploads of the last hour, or the files of the workspace.',
);
export const UrlExpired = defineError(
  'forbidden',
  'url_expired',
  'The URL of the file has expired or was changed. Get a fresh one from the attachment or its message.',
);

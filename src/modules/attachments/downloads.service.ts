import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound, Unavailable } from '../../kernel/errors.js';
import { isId } from '../../kernel/ids.js';
import type { ByteRange } from '../../platform/files/file-store.js';
import { FileStore } from '../../platform/files/file-store.js';
import type { Attachment } from './attachment.js';
import { storeKey } from './attachment.js';
import type { Signature, Variant } from './attachment-urls.service.js';
import { AttachmentUrlsService, VARIANTS } from './attachment-urls.service.js';
import { UrlExpired } from './attachments.errors.js';
import { AttachmentsRepository } from './attachments.repository.js';

/** A file that may be read. */
export interface Download {
  attachment: Attachment;
  variant: Variant;
}

/** Reads files for callers who have a signed URL. */
@Injectable()
export class DownloadsService {
  constructor(
    private readonly urls: AttachmentUrlsService,
    private readonly attachments: AttachmentsRepository,
    private readonly store: FileStore,
    private readonly clock: Clock,
  ) {}

  /** Looks at the row on each request: an unsent or erased file is gone at once. @throws UrlExpired, NotFound */
  async find(id: string, signature: Signature): Promise<Download> {
    const variant = VARIANTS.find(known => known === signature.variant);
    if (!variant || !isId(id) || !this.urls.verify(id, signature)) throw new UrlExpired();
    const attachment = await this.attachments.find(id, this.clock.now());
    if (!attachment || (variant === 'thumbnail' && !attachment.hasThumbnail)) throw new NotFound();
    return { attachment, variant };
  }

  /** @throws NotFound if the file was removed meanwhile, Unavailable if the store has lost it */
  async open({ attachment: { id }, variant }: Download, range?: ByteRange): Promise<Readable> {
    const bytes = await this.store.open(storeKey(id, variant), range);
    if (bytes) return bytes;
    if (await this.attachments.find(id, this.clock.now()))
      throw new Unavailable({ cause: new Error(`file ${id} is lost`) });
    throw new NotFound();
  }
}

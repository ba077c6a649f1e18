import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import { FileStore } from '../../platform/files/file-store.js';
import type { IncomingUpload } from '../../platform/files/incoming-upload.js';
import { IncomingFilesService } from '../../platform/files/incoming-files.service.js';
import { ChannelsService, FeatureDisabled, FILE_TYPES, MAX_FILE_BYTES } from '../channels/index.js';
import type { AttachmentRef, Uploader } from './attachment.js';
import { storeKey, THUMBNAIL_TYPE } from './attachment.js';
import type { UploadRules } from './file-receiver.service.js';
import { FileReceiverService, tooLarge } from './file-receiver.service.js';
import { PicturesService } from './pictures.service.js';
import { ReservationsService } from './reservations.service.js';
import type { NewUpload } from './uploads.repository.js';

/** Bytes of a multipart body besides the file. */
const ENVELOPE_BYTES = 16 * 1024;

/**
 * Takes uploads. The row with its reserved bytes is committed before the first byte is read, so that quotas hold under
 * any race, and no file is ever in the store without a row.
 */
@Injectable()
export class UploadsService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly reservations: ReservationsService,
    private readonly folders: IncomingFilesService,
    private readonly receiver: FileReceiverService,
    private readonly pictures: PicturesService,
    private readonly store: FileStore,
  ) {}

  /** @throws FeatureDisabled, BodyTooLarge, AttachmentTypeRefused, StorageQuota, RateLimited, Unavailable */
  async upload(principal: Uploader, incoming: IncomingUpload, network: string): Promise<AttachmentRef> {
    const rules = await this.rulesFor(principal);
    const size = sizeOf(incoming, rules.maxBytes);
    const giveBack = await this.reservations.reserveForAddress(network, size);
    try {
      return await this.uploadReserved(principal, incoming, rules, size);
    } finally {
      await giveBack(size - incoming.receivedBytes);
    }
  }

  private async uploadReserved(
    principal: Uploader,
    incoming: IncomingUpload,
    rules: UploadRules,
    size: number,
  ): Promise<AttachmentRef> {
    const upload = await this.reservations.reserve(principal, size);
    try {
      return await this.folders.use(folder => this.receive(principal, incoming, rules, { upload, folder }));
    } catch (error) {
      if (!(await this.reservations.abandon(upload, error))) await this.removeStored(upload);
      throw error;
    }
  }

  /** Removes the bytes of an upload whose row is gone, such as one that stood still with its process for an hour. */
  private async removeStored({ id }: NewUpload): Promise<void> {
    for (const variant of ['thumbnail', 'file'] as const) {
      await this.store.remove(storeKey(id, variant)).catch(() => undefined);
    }
  }

  private async receive(
    principal: Uploader,
    incoming: IncomingUpload,
    rules: UploadRules,
    { upload, folder }: { upload: NewUpload; folder: string },
  ): Promise<AttachmentRef> {
    const path = join(folder, 'file');
    const received = await incoming.receive(source => this.receiver.receive(source, path, rules));
    const file = await this.pictures.prepare(principal, received, folder);
    // a picture that was written again may be larger than what was sent
    if (file.size > rules.maxBytes) throw tooLarge(rules.maxBytes);
    const reserved = await this.reservations.enlarge(upload, file.size);
    if (file.hasThumbnail) await this.store.put(storeKey(upload.id, 'thumbnail'), file.thumbnail, THUMBNAIL_TYPE);
    await this.store.put(storeKey(upload.id), path, file.contentType);
    return this.reservations.finish(principal, reserved, file);
  }

  private async rulesFor(principal: Uploader): Promise<UploadRules> {
    if (principal.kind !== 'visitor') return { maxBytes: MAX_FILE_BYTES, types: FILE_TYPES };
    const channel = await this.channels.find(principal.workspaceId, principal.channelId);
    if (!channel) throw new NotFound();
    if (!channel.widgetConfig.features.attachments) throw new FeatureDisabled();
    return { maxBytes: channel.attachments.max_bytes, types: channel.attachments.mime_types };
  }
}

/** Returns the bytes to reserve: those of the body, or the maximum if they are not known. @throws BodyTooLarge */
function sizeOf({ declaredBytes }: IncomingUpload, maxBytes: number): number {
  if (declaredBytes === null) return maxBytes;
  if (declaredBytes > maxBytes + ENVELOPE_BYTES) throw tooLarge(maxBytes);
  return Math.min(declaredBytes, maxBytes);
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ImagesService } from '../../platform/images/images.service.js';
import type { Uploader } from './attachment.js';
import { AttachmentTypeRefused } from './attachments.errors.js';
import type { ReceivedFile } from './file-receiver.service.js';

/**
 * Kinds of picture whose metadata can be removed. Raw photos are not among them: they have the container of a TIFF, but
 * what could be written again is their preview.
 */
const CLEANABLE = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/heif',
  'image/tiff',
]);

/** A received file, and what is known of it as a picture. */
export interface PreparedFile extends ReceivedFile {
  width: number | null;
  height: number | null;
  hasThumbnail: boolean;
  /** Path of the thumbnail, if there is one. */
  thumbnail: string;
}

/** Measures pictures, makes thumbnails, and takes the metadata out of visitors' pictures. */
@Injectable()
export class PicturesService {
  constructor(private readonly images: ImagesService) {}

  /**
   * @param folder holds the file as `file`; a picture with metadata is replaced there
   * @throws AttachmentTypeRefused for a visitor's picture whose metadata cannot be removed
   */
  async prepare(principal: Uploader, file: ReceivedFile, folder: string): Promise<PreparedFile> {
    const [path, thumbnail] = [join(folder, 'file'), join(folder, 'thumbnail')];
    const unknown = { ...file, thumbnail, width: null, height: null, hasThumbnail: false };
    if (!file.contentType.startsWith('image/')) return unknown;
    const removeMetadata = principal.kind === 'visitor';
    if (removeMetadata && !CLEANABLE.has(file.contentType)) throw keepsItsMetadata();
    const facts = await this.images.process(principal.workspaceId, { input: path, thumbnail, removeMetadata });
    const { width, height, hasThumbnail, keepsMetadata } = facts;
    if (keepsMetadata) throw keepsItsMetadata();
    const { size } = await stat(path);
    return { ...file, thumbnail, size, width, height, hasThumbnail };
  }
}

function keepsItsMetadata(): Error {
  return new AttachmentTypeRefused({ message: 'The metadata of this picture cannot be removed.' });
}

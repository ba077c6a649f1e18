import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Clock } from '../../kernel/clock.js';
import { NotFound, RateLimited, Unavailable } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { ContactsService } from '../contacts/index.js';
import type { AttachmentRef, Uploader } from './attachment.js';
import { ownerOf } from './attachment.js';
import { AttachmentRemovalWorker } from './attachment-removal.worker.js';
import { StorageQuota } from './attachments.errors.js';
import type { PreparedFile } from './pictures.service.js';
import type { NewUpload, OwnerUse } from './uploads.repository.js';
import { UploadsRepository } from './uploads.repository.js';

const MIB = 1024 * 1024;
const AT_ONCE = 4;
const UNSENT_BYTES = 100 * MIB;
const CONTACT_BYTES_PER_HOUR = 250 * MIB;
/** Longer than an upload, the queue of pictures and the store may take together. The process of an older one is dead. */
const DEAD_AFTER_MS = 25 * 60_000;
/** A store that gave no answer may still be writing. */
const STORE_MS = 5 * 60_000;
const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 5;

/** Reserves the bytes of uploads, so that no quota is ever exceeded. Each step is one short transaction. */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly uploads: UploadsRepository,
    private readonly contacts: ContactsService,
    private readonly limiter: RateLimitService,
    private readonly removals: AttachmentRemovalWorker,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves bytes of the hour for an address. Those that do not arrive must be given back, whatever becomes of the upload.
   * @throws StorageQuota
   */
  reserveForAddress(network: string, size: number): Promise<(bytes: number) => Promise<void>> {
    return this.limiter.reserve('upload_bytes_address', network, size).catch(asQuota);
  }

  /** @throws StorageQuota, RateLimited */
  async reserve(principal: Uploader, size: number): Promise<NewUpload> {
    const now = this.clock.now();
    const { kind: ownerKind, id: ownerId } = ownerOf(principal);
    const dueAt = new Date(now.getTime() + DEAD_AFTER_MS);
    const upload = { id: newId(), workspaceId: principal.workspaceId, ownerKind, ownerId, size, dueAt, createdAt: now };
    await this.units.run(async () => {
      if (principal.kind === 'visitor') await this.contacts.lockForShare(principal);
      const use = await this.uploads.lockOwner(upload, this.config.unsentFileRetentionHours);
      if (use.uploading >= AT_ONCE) throw new RateLimited({ retryAfter: RETRY_SECONDS });
      await this.take(upload, use, size);
      await this.uploads.insert(upload);
    });
    return upload;
  }

  /** Reserves more where the file has become larger. @throws StorageQuota, NotFound */
  async enlarge(upload: NewUpload, size: number): Promise<NewUpload> {
    if (size <= upload.size) return upload;
    await this.units.run(async () => {
      const use = await this.uploads.lockOwner(upload, this.config.unsentFileRetentionHours);
      await this.take(upload, use, size - upload.size);
      if (!(await this.uploads.enlarge(upload.id, size))) throw new NotFound();
    });
    return { ...upload, size };
  }

  /** Makes the file ready, and gives back what it did not need. @throws NotFound for an erased contact */
  async finish(principal: Uploader, upload: NewUpload, file: PreparedFile): Promise<AttachmentRef> {
    const dueAt = new Date(this.clock.now().getTime() + this.config.unsentFileRetentionHours * HOUR_MS);
    await this.units.run(async () => {
      if (principal.kind === 'visitor') await this.contacts.lockForShare(principal);
      if (!(await this.uploads.finish({ ...file, id: upload.id, dueAt }, upload.size))) throw new NotFound();
    });
    const { name, contentType, size, width, height, hasThumbnail } = file;
    return { id: upload.id, name, content_type: contentType, size, width, height, has_thumbnail: hasThumbnail };
  }

  /**
   * Gives an upload up. Without a database its row stays, and its due time removes the file.
   * @returns false if it was given up before: then nothing removes a file that was stored since
   */
  async abandon({ id }: NewUpload, reason: unknown): Promise<boolean> {
    const delay = reason instanceof Unavailable ? STORE_MS : 0;
    const dueAt = new Date(this.clock.now().getTime() + delay);
    const isLeft = await this.uploads.abandon(id, dueAt).catch(() => true);
    this.removals.wake();
    return isLeft;
  }

  private async take({ ownerKind, workspaceId }: NewUpload, use: OwnerUse, bytes: number): Promise<void> {
    if (ownerKind !== 'api_key' && use.unsent + bytes > UNSENT_BYTES) throw new StorageQuota();
    if (ownerKind === 'contact' && use.recent + bytes > CONTACT_BYTES_PER_HOUR) throw new StorageQuota();
    if (!(await this.uploads.reserve(workspaceId, bytes, this.config.filesQuotaBytes))) throw new StorageQuota();
  }
}

function asQuota(error: unknown): never {
  throw error instanceof RateLimited ? new StorageQuota() : error;
}

import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import type { AttachmentRef, Uploader } from './attachment.js';
import { ownerOf, sendableBy, toAttachmentRef } from './attachment.js';
import { AttachmentRemovalWorker } from './attachment-removal.worker.js';
import { AttachmentUnavailable } from './attachments.errors.js';
import type { ClaimingMessage } from './attachments.repository.js';
import { AttachmentsRepository } from './attachments.repository.js';

@Injectable()
export class AttachmentsService {
  constructor(
    private readonly attachments: AttachmentsRepository,
    private readonly removals: AttachmentRemovalWorker,
    private readonly clock: Clock,
  ) {}

  /** Finds a file of a message that the caller may see, or its own that is not sent. @throws NotFound */
  async get(principal: Uploader, id: string): Promise<AttachmentRef> {
    const found = await this.attachments.findVisible(principal, ownerOf(principal), id, this.clock.now());
    if (!found) throw new NotFound();
    return toAttachmentRef(found);
  }

  /**
   * Gives the files to the message, in the unit of work that sends it. Each file is sent once.
   * @returns them in the order of `ids` @throws AttachmentUnavailable
   */
  async claim(principal: Principal, ids: readonly string[], message: ClaimingMessage): Promise<AttachmentRef[]> {
    const claimed = await this.attachments.claim(ids, sendableBy(principal), message, this.clock.now());
    const byId = new Map(claimed.map(attachment => [attachment.id, toAttachmentRef(attachment)]));
    return ids.map(id => {
      const ref = byId.get(id);
      if (!ref) throw new AttachmentUnavailable();
      return ref;
    });
  }

  /** Makes the files of erased contacts unreadable, in the unit of work that erases them and has locked their conversations. */
  async removeOfContacts(workspaceId: string, contactIds: readonly string[]): Promise<void> {
    await this.attachments.removeOfContacts(workspaceId, contactIds, this.clock.now());
    this.removals.wakeAfterCommit();
  }

  /** Follows a merge of contacts, in the unit of work that has moved the conversations. */
  async moveToContact(workspaceId: string, from: string, into: string): Promise<void> {
    await this.attachments.moveToContact(workspaceId, from, into);
  }

  /** Makes the files of an unsent message unreadable, in the unit of work that unsends it. */
  async removeOfMessage(workspaceId: string, messageId: string): Promise<void> {
    await this.attachments.removeOfMessage(workspaceId, messageId, this.clock.now());
    this.removals.wakeAfterCommit();
  }
}

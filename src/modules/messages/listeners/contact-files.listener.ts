import { Injectable, OnModuleInit } from '@nestjs/common';
import { AttachmentsService } from '../../attachments/index.js';
import { ContactErasureHooks, ContactMergeHooks } from '../../contacts/index.js';

/**
 * Makes the files of an erased person unreadable from the commit on, and moves those of a merged contact. It runs after
 * the hooks of conversations, which have locked them, so that it sees the files of concurrent messages.
 */
@Injectable()
export class ContactFilesListener implements OnModuleInit {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly erasureHooks: ContactErasureHooks,
    private readonly mergeHooks: ContactMergeHooks,
  ) {}

  onModuleInit(): void {
    this.erasureHooks.add(({ workspaceId, contactIds }) => this.attachments.removeOfContacts(workspaceId, contactIds));
    this.mergeHooks.add(({ from, into }) => this.attachments.moveToContact(from.workspaceId, from.id, into.id));
  }
}

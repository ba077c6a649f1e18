import { Injectable, OnModuleInit } from '@nestjs/common';
import type { ContactMerge } from '../../contacts/index.js';
import { ContactMergeHooks } from '../../contacts/index.js';
import { MessagesRepository } from '../messages.repository.js';

/** Makes the remaining contact the sender of a merged contact's messages. */
@Injectable()
export class SenderMergeListener implements OnModuleInit {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly mergeHooks: ContactMergeHooks,
  ) {}

  onModuleInit(): void {
    this.mergeHooks.add(merge => this.rename(merge));
  }

  /** Runs after the hook that moves the conversations, which has locked them. */
  private async rename({ from, into, movedConversationIds }: ContactMerge): Promise<void> {
    await this.messages.renameSender(from.workspaceId, movedConversationIds, from.id, into.id);
  }
}

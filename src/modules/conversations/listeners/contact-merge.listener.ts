import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import type { Principal } from '../../../kernel/principal.js';
import type { ContactMerge } from '../../contacts/index.js';
import { ContactMergeHooks } from '../../contacts/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import type { Conversation } from '../conversation.js';
import { ConversationsRepository } from '../conversations.repository.js';

/** Moves the conversations of a merged contact to the remaining one. */
@Injectable()
export class ContactMergeListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly mergeHooks: ContactMergeHooks,
  ) {}

  onModuleInit(): void {
    this.mergeHooks.add((merge, by) => this.move(merge, by));
  }

  private async move(merge: ContactMerge, by: Principal): Promise<void> {
    const { from, into } = merge;
    const actor = actorOf(by);
    const locked = await this.conversations.lockByContact(from.workspaceId, from.id, into.id);
    const older = olderDuplicates(locked);
    await this.changes.triggerAll(older, 'resolve', actor);
    const moving = locked.filter(({ contactId }) => contactId === from.id);
    await this.changes.applyAll(moving, { columns: { contactId: into.id }, timeline: null }, actor);
    merge.movedConversationIds.push(...moving.map(({ id }) => id));
    merge.resolvedConversationIds.push(...older.map(({ id }) => id));
  }
}

/** Unresolved conversations of which a channel allows one, where both contacts have one: the older ones. */
function olderDuplicates(conversations: readonly Conversation[]): Conversation[] {
  const unresolved = conversations.filter(({ single, status }) => single && status !== 'resolved');
  return unresolved.filter(one =>
    unresolved.some(other => other.channelId === one.channelId && other.number > one.number),
  );
}

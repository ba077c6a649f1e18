import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Member } from '../../members/index.js';
import { MemberTeardownHooks, MemberScopeHooks } from '../../members/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationsRepository } from '../conversations.repository.js';

/**
 * Whoever stops working here, or on a channel, leaves its unresolved conversations there to the others: nobody would
 * look after them, for those who have gone do not see them and those who stay take them for looked after.
 */
@Injectable()
export class AssigneeRemovalListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly ofMembers: MemberTeardownHooks,
    private readonly ofScopes: MemberScopeHooks,
  ) {}

  onModuleInit(): void {
    this.ofMembers.add((member, by) => this.free(member, [], by));
    this.ofScopes.add(async (member, by) => {
      if (member.channelIds !== null) await this.free(member, member.channelIds, by);
    });
  }

  /** @param kept the channels whose conversations stay with the member */
  private async free(member: Member, kept: readonly string[], by: Principal): Promise<void> {
    const given = await this.conversations.lockGivenTo(member.workspaceId, member.id, kept);
    const timeline = { event: 'unassigned', public: false } as const;
    await this.changes.applyAll(given, { columns: { assigneeId: null }, timeline }, actorOf(by));
  }
}

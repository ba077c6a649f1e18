import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Member } from '../../members/index.js';
import { MemberTeardownHooks, MemberScopeHooks } from '../../members/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationsRepository } from '../conversations.repository.js';

/**
 * Unassigns the unresolved conversations of a member who is deactivated or loses their channel. Otherwise nobody would
 * serve them: the member no longer sees them, and the others take them for served.
 */
@Injectable()
export class AssigneeRemovalListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly teardownHooks: MemberTeardownHooks,
    private readonly scopeHooks: MemberScopeHooks,
  ) {}

  onModuleInit(): void {
    this.teardownHooks.add((member, by) => this.unassign(member, [], 'member_deactivated', by));
    this.scopeHooks.add(async (member, by) => {
      if (member.channelIds !== null) await this.unassign(member, member.channelIds, 'scope_changed', by);
    });
  }

  /** @param keptChannelIds channels whose conversations stay assigned */
  private async unassign(
    member: Member,
    keptChannelIds: readonly string[],
    reason: string,
    by: Principal,
  ): Promise<void> {
    const assigned = await this.conversations.lockAssignedTo(member.workspaceId, member.id, keptChannelIds);
    const timeline = { event: 'unassigned', public: false, reason } as const;
    await this.changes.applyAll(assigned, { columns: { assigneeId: null }, timeline }, actorOf(by));
  }
}

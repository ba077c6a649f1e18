import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { covers } from '../../kernel/channel-scope.js';
import { systemOf } from '../../kernel/principal.js';
import { WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { assignsAutomatically, ChannelsService } from '../channels/index.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationChangesService, ConversationsService } from '../conversations/index.js';
import type { Member } from '../members/index.js';
import { MemberPresenceService, MembersService } from '../members/index.js';
import { isServedByPeople } from './assignment.js';
import type { NextAssignment, StoredRequest } from './assignment-requests.repository.js';
import { AssignmentRequestsRepository } from './assignment-requests.repository.js';
import { MemberLoadsRepository } from './member-loads.repository.js';

/** `locked`: another transaction changes the conversation or the member, or another instance has to decide first. */
export type AssignmentOutcome = 'settled' | 'locked';

/** Assigns one conversation to one member, after it has checked everything again under locks. */
@Injectable()
export class AssignmentsService {
  constructor(
    private readonly workers: WorkerDependencies,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly members: MembersService,
    private readonly presence: MemberPresenceService,
    private readonly channels: ChannelsService,
    private readonly requests: AssignmentRequestsRepository,
    private readonly loads: MemberLoadsRepository,
  ) {}

  /**
   * Assigns the conversation unless something has changed since the choice. The loads are locked before they are
   * compared with the capacity, so that no two instances pass it.
   * @returns `settled` if the choice is to be made anew: the conversation is assigned, or the choice was out of date
   */
  assign(workspaceId: string, next: NextAssignment): Promise<AssignmentOutcome> {
    const system = systemOf(workspaceId);
    return this.workers.transaction(async () => {
      const member = await this.members.tryLockForShare(system, next.memberId);
      const conversation = member && (await this.conversations.tryLock(system, next.conversationId));
      if (!conversation) return 'locked';
      const request = await this.requests.find(workspaceId, conversation.id);
      if (!request || !(await this.isStillRouted(conversation, next))) return 'settled';
      if (!isServedByPeople(conversation) || conversation.assigneeId !== request.assigneeId) {
        await this.requests.remove(workspaceId, [conversation.id]);
        return 'settled';
      }
      if (this.isUndecided(conversation, request)) return 'locked';
      const memberIds = [member.id, conversation.assigneeId].filter(id => id !== null);
      const loads = await this.loads.lock(workspaceId, memberIds);
      if (await this.isKept(conversation, loads)) {
        await this.requests.remove(workspaceId, [conversation.id]);
        return 'settled';
      }
      if (!this.isFree(member, conversation.channelId, loads) || !(await this.isUpToDate(conversation, next, loads)))
        return 'settled';
      const timeline = { event: 'assigned', public: false, reason: next.mode } as const;
      await this.changes.apply(conversation, { columns: { assigneeId: member.id }, timeline }, actorOf(system));
      return 'settled';
    });
  }

  private async isStillRouted({ workspaceId, channelId }: Conversation, { mode }: NextAssignment): Promise<boolean> {
    const channel = await this.channels.find(workspaceId, channelId);
    return channel !== null && assignsAutomatically(channel) && channel.routing.mode === mode;
  }

  private isFree(member: Member, channelId: string, loads: ReadonlyMap<string, number>): boolean {
    return this.isOnlineFor(member, channelId) && (loads.get(member.id) ?? 0) < member.capacity;
  }

  private isOnlineFor({ workspaceId, id, status, availability, channelIds }: Member, channelId: string): boolean {
    if (status !== 'active' || availability !== 'online' || !covers(channelIds, channelId)) return false;
    return this.presence.isConnected(workspaceId, id);
  }

  /** False if the member got another conversation since it was chosen, so that another may come first. */
  private async isUpToDate(
    { workspaceId, channelId }: Conversation,
    { mode, memberId, openCount, lastTurnAt }: NextAssignment,
    loads: ReadonlyMap<string, number>,
  ): Promise<boolean> {
    if (mode === 'least_loaded' && loads.get(memberId) !== openCount) return false;
    const turn = await this.loads.findLastTurn(workspaceId, { channelId, memberId });
    return turn?.getTime() === lastTurnAt?.getTime();
  }

  /** Without Redis the assignee may be connected to another instance, which then has a second to keep it. */
  private isUndecided({ workspaceId, assigneeId }: Conversation, { isOlderThanSecond }: StoredRequest): boolean {
    if (assigneeId === null || isOlderThanSecond || this.presence.isShared) return false;
    return !this.presence.isConnected(workspaceId, assigneeId);
  }

  /** True if the assignee of a reopened or woken conversation is free. Its load includes the conversation. */
  private async isKept(
    { workspaceId, channelId, assigneeId }: Conversation,
    loads: ReadonlyMap<string, number>,
  ): Promise<boolean> {
    if (assigneeId === null) return false;
    const assignee = await this.members.find(systemOf(workspaceId), assigneeId);
    return (
      assignee !== null && this.isOnlineFor(assignee, channelId) && (loads.get(assigneeId) ?? 0) <= assignee.capacity
    );
  }
}

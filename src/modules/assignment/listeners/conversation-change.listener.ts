import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Actor } from '../../../kernel/domain-event.js';
import type { Channel } from '../../channels/index.js';
import { ChannelsService } from '../../channels/index.js';
import type { ConversationChange } from '../../conversations/index.js';
import { ConversationChangeHooks } from '../../conversations/index.js';
import { ContactMessageHooks } from '../../messages/index.js';
import { AssigneeWatchesRepository } from '../assignee-watches.repository.js';
import { AssignmentRequestsRepository } from '../assignment-requests.repository.js';
import { loadedMemberOf, isServedByPeople, requestAfter, turnAfter, watchAfter } from '../assignment.js';
import type { LoadChange } from '../member-loads.repository.js';
import { MemberLoadsRepository } from '../member-loads.repository.js';

/** Keeps requests, watches, loads and turns true to the conversations, in the unit of work that changes these. */
@Injectable()
export class ConversationChangeListener implements OnModuleInit {
  constructor(
    private readonly changeHooks: ConversationChangeHooks,
    private readonly messageHooks: ContactMessageHooks,
    private readonly channels: ChannelsService,
    private readonly requests: AssignmentRequestsRepository,
    private readonly watches: AssigneeWatchesRepository,
    private readonly loads: MemberLoadsRepository,
  ) {}

  onModuleInit(): void {
    this.changeHooks.add((changes, actor) => this.follow(changes, actor));
    this.messageHooks.add(async ({ conversation: { workspaceId, id, assigneeId, waitingSince } }) => {
      if (assigneeId === null) await this.requests.setWaitingSince(workspaceId, id, waitingSince);
    });
  }

  private async follow(changes: readonly ConversationChange[], actor: Actor): Promise<void> {
    const [first] = changes;
    if (!first) return;
    const { workspaceId } = first.to;
    const channels = await this.findChannels(workspaceId, changes);
    const channelOf = ({ to }: ConversationChange) => channels.get(to.channelId);
    await this.requests.change(
      workspaceId,
      new Map(changes.map(change => [change.to.id, requestAfter(change, actor, channelOf(change))])),
    );
    await this.watches.change(
      workspaceId,
      new Map(changes.map(change => [change.to.id, watchAfter(change, channelOf(change))])),
    );
    await this.loads.add(workspaceId, changes.flatMap(loadChanges));
    await this.loads.addTurns(
      workspaceId,
      changes.flatMap(change => {
        const memberId = turnAfter(change, channelOf(change));
        return memberId === null ? [] : [{ channelId: change.to.channelId, memberId }];
      }),
    );
  }

  /** Reads them after the conversations were written: the sweep of a routing that changes now waits for this unit of work. */
  private async findChannels(
    workspaceId: string,
    changes: readonly ConversationChange[],
  ): Promise<Map<string, Channel>> {
    const served = changes.filter(({ to }) => isServedByPeople(to)).map(({ to }) => to.channelId);
    if (served.length === 0) return new Map();
    const channels = await this.channels.findAll(workspaceId, [...new Set(served)]);
    return new Map(channels.map(channel => [channel.id, channel]));
  }
}

function loadChanges({ from, to }: ConversationChange): LoadChange[] {
  const [before, after] = [loadedMemberOf(from), loadedMemberOf(to)];
  if (before === after) return [];
  const added = after === null ? [] : [{ memberId: after, count: 1 as const }];
  return before === null ? added : [{ memberId: before, count: -1 }, ...added];
}

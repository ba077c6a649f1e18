import { Injectable, OnModuleInit } from '@nestjs/common';
import { systemOf } from '../../../kernel/principal.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import type { Channel } from '../../channels/index.js';
import { ChannelChangeHooks, ChannelsService } from '../../channels/index.js';
import type { Conversation } from '../../conversations/index.js';
import { ChannelSweepWorker, ConversationsService } from '../../conversations/index.js';
import { AssigneeWatchesRepository } from '../assignee-watches.repository.js';
import { AssignmentRequestsRepository } from '../assignment-requests.repository.js';
import { AssignmentWorker } from '../assignment.worker.js';
import { requestUnder, watchUnder } from '../assignment.js';

const TASK = 'assignment';
/** Conversations that are locked at a time. */
const SLICE = 100;

/** Applies a changed routing to the open conversations of its channel, in slices. */
@Injectable()
export class RoutingChangeListener implements OnModuleInit {
  constructor(
    private readonly channelHooks: ChannelChangeHooks,
    private readonly sweeps: ChannelSweepWorker,
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly channels: ChannelsService,
    private readonly requests: AssignmentRequestsRepository,
    private readonly watches: AssigneeWatchesRepository,
    private readonly worker: AssignmentWorker,
  ) {}

  onModuleInit(): void {
    this.sweeps.addTask(TASK, ({ workspaceId, channelId, afterId }) =>
      this.applyToSlice(workspaceId, channelId, afterId),
    );
    this.channelHooks.add(async ({ from, to }) => {
      if (routesDifferently(from, to)) await this.sweeps.request(to.workspaceId, to.id, TASK);
    });
  }

  private async applyToSlice(workspaceId: string, channelId: string, afterId: string): Promise<string | null> {
    const ids = await this.requests.findOpenConversations(workspaceId, channelId, afterId, SLICE);
    const conversations = await this.conversations.lockAll(systemOf(workspaceId), ids);
    // read after the locks: a later change has a sweep of its own
    const channel = await this.channels.find(workspaceId, channelId);
    if (channel) await this.applyTo(channel, conversations);
    this.units.afterCommit(() => this.worker.wakeFor(workspaceId));
    return ids.length < SLICE ? null : (ids.at(-1) ?? null);
  }

  private async applyTo(channel: Channel, conversations: readonly Conversation[]): Promise<void> {
    const changes = <Change>(under: (channel: Channel, conversation: Conversation) => Change) =>
      new Map(conversations.map(conversation => [conversation.id, under(channel, conversation)]));
    await this.requests.change(channel.workspaceId, changes(requestUnder));
    await this.watches.change(channel.workspaceId, changes(watchUnder), 'keepTimes');
  }
}

function routesDifferently(before: Channel, after: Channel): boolean {
  const settings = ({ routing, deletedAt }: Channel) => [routing.mode, routing.reassign_after_minutes, deletedAt];
  return JSON.stringify(settings(before)) !== JSON.stringify(settings(after));
}

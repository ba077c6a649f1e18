import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { systemOf } from '../../../kernel/principal.js';
import { BotChangeHooks } from '../../bots/index.js';
import type { Channel } from '../../channels/index.js';
import { ChannelChangeHooks, ChannelsService } from '../../channels/index.js';
import { BotControlService } from '../bot-control.service.js';
import type { ChannelSweep } from '../channel-sweeps.repository.js';
import { ChannelSweepWorker } from '../channel-sweep.worker.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import type { Conversation } from '../conversation.js';
import { isControlledByBot } from '../conversation.js';
import { ConversationsRepository } from '../conversations.repository.js';

const TASK = 'bot_detachment';
/** Conversations that are locked at a time. */
const SLICE = 100;

/**
 * Hands off the conversations of a bot that was disabled or deleted, or whose channel is routed elsewhere, in slices.
 * The sweep waits for conversations that are being opened with the bot meanwhile.
 */
@Injectable()
export class BotDetachmentListener implements OnModuleInit {
  constructor(
    private readonly botHooks: BotChangeHooks,
    private readonly channelHooks: ChannelChangeHooks,
    private readonly channels: ChannelsService,
    private readonly sweeps: ChannelSweepWorker,
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly control: BotControlService,
  ) {}

  onModuleInit(): void {
    this.sweeps.addTask(TASK, sweep => this.handOffSlice(sweep));
    this.botHooks.add(async ({ from, to }) => {
      if (from.status === to.status || to.status === 'enabled') return;
      const channelIds = await this.channels.findRoutedTo(to.workspaceId, to.id);
      for (const channelId of channelIds) await this.sweeps.request(to.workspaceId, channelId, TASK);
    });
    this.channelHooks.add(async ({ from, to }) => {
      const { bot_id: before } = from.routing;
      if (before !== null && before !== to.routing.bot_id) await this.sweeps.request(to.workspaceId, to.id, TASK);
    });
  }

  private async handOffSlice({ workspaceId, channelId, afterId }: ChannelSweep): Promise<string | null> {
    const ids = await this.conversations.findPendingIds(workspaceId, channelId, afterId, SLICE);
    const locked = await this.conversations.lockAllVisible(systemOf(workspaceId), ids);
    // read after the locks: a later change has a sweep of its own
    const channel = await this.channels.find(workspaceId, channelId);
    if (channel) await this.handOff(channel, locked);
    return ids.length < SLICE ? null : (ids.at(-1) ?? null);
  }

  private async handOff(channel: Channel, conversations: readonly Conversation[]): Promise<void> {
    const actor = actorOf(systemOf(channel.workspaceId));
    const controlled = conversations.filter(conversation => isControlledByBot(conversation));
    for (const botId of new Set(controlled.map(conversation => conversation.botId ?? ''))) {
      const reason = await this.control.findDetachment(channel, botId);
      if (reason === null) continue;
      const detached = controlled.filter(conversation => conversation.botId === botId);
      await this.changes.triggerAll(
        detached,
        'handoff',
        actor,
        { reason },
        reason === 'bot_deleted' ? { botId: null } : {},
      );
    }
  }
}

import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { Clock } from '../../../kernel/clock.js';
import type { Principal } from '../../../kernel/principal.js';
import { EventLogService } from '../../../platform/events/event-log.service.js';
import type { Bot } from '../../bots/index.js';
import { BotTeardownHooks } from '../../bots/index.js';
import { toChannelRecord } from '../channel.js';
import '../channels.events.js';
import { ChannelChangeHooks } from '../channel-change-hooks.js';
import { ChannelsRepository } from '../channels.repository.js';

/** Removes a deleted bot from the routing of its channels. Their new conversations go to people. */
@Injectable()
export class BotDeletionListener implements OnModuleInit {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly events: EventLogService,
    private readonly teardownHooks: BotTeardownHooks,
    private readonly changeHooks: ChannelChangeHooks,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.teardownHooks.add((bot, by) => this.detach(bot, by));
  }

  private async detach(bot: Bot, by: Principal): Promise<void> {
    for (const channel of await this.channels.lockRoutedTo(bot.workspaceId, bot.id)) {
      const from = { ...channel };
      channel.routing = { ...channel.routing, bot_id: null };
      channel.updatedAt = this.clock.now();
      await this.channels.save(channel);
      await this.events.record({
        type: 'channel.updated',
        workspaceId: channel.workspaceId,
        channelId: channel.id,
        actor: actorOf(by),
        payload: toChannelRecord(channel),
      });
      await this.changeHooks.run({ from, to: channel }, by);
    }
  }
}

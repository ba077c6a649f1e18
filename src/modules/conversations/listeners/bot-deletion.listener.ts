import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { Clock } from '../../../kernel/clock.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Bot } from '../../bots/index.js';
import { BotTeardownHooks } from '../../bots/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationsRepository } from '../conversations.repository.js';
import { transition } from '../lifecycle.js';

/** What a deleted bot was talking in goes to people. Where people lead already, its name stays as that of who began. */
@Injectable()
export class BotDeletionListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly ofBots: BotTeardownHooks,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.ofBots.add((bot, by) => this.handOver(bot, by));
  }

  private async handOver(bot: Bot, by: Principal): Promise<void> {
    const led = await this.conversations.lockLedBy(bot.workspaceId, bot.id);
    const actor = actorOf(by);
    const circumstances = { now: this.clock.now(), actor, reason: 'bot_deleted' };
    const effects = led[0] && transition(led[0], 'handoff', circumstances);
    if (!effects) return;
    await this.changes.applyAll(led, { ...effects, columns: { ...effects.columns, botId: null } }, actor);
  }
}

import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import { Clock } from '../../../kernel/clock.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Bot } from '../../bots/index.js';
import { BotTeardownHooks } from '../../bots/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationsRepository } from '../conversations.repository.js';
import { transition } from '../lifecycle.js';

/** Hands off the pending conversations of a deleted bot. Conversations that people already lead keep the bot's id. */
@Injectable()
export class BotDeletionListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly teardownHooks: BotTeardownHooks,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.teardownHooks.add((bot, by) => this.handOff(bot, by));
  }

  private async handOff(bot: Bot, by: Principal): Promise<void> {
    const pending = await this.conversations.lockPendingOfBot(bot.workspaceId, bot.id);
    const actor = actorOf(by);
    const circumstances = { now: this.clock.now(), actor, reason: 'bot_deleted' };
    const effects = pending[0] && transition(pending[0], 'handoff', circumstances);
    if (!effects) return;
    await this.changes.applyAll(pending, { ...effects, columns: { ...effects.columns, botId: null } }, actor);
  }
}

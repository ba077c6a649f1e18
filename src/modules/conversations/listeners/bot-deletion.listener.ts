import { Injectable, OnModuleInit } from '@nestjs/common';
import { actorOf } from '../../../kernel/actor.js';
import type { Principal } from '../../../kernel/principal.js';
import type { Bot } from '../../bots/index.js';
import { BotTeardownHooks } from '../../bots/index.js';
import { ConversationChangesService } from '../conversation-changes.service.js';
import { ConversationsRepository } from '../conversations.repository.js';

/** Hands off the pending conversations of a deleted bot. Conversations that people already lead keep the bot's id. */
@Injectable()
export class BotDeletionListener implements OnModuleInit {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
    private readonly teardownHooks: BotTeardownHooks,
  ) {}

  onModuleInit(): void {
    this.teardownHooks.add((bot, by) => this.handOff(bot, by));
  }

  private async handOff(bot: Bot, by: Principal): Promise<void> {
    const pending = await this.conversations.lockPendingOfBot(bot.workspaceId, bot.id);
    await this.changes.triggerAll(pending, 'handoff', actorOf(by), { reason: 'bot_deleted' }, { botId: null });
  }
}

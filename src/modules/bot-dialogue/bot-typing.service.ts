import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { NotFound } from '../../kernel/errors.js';
import type { ApiKeyPrincipal } from '../../kernel/principal.js';
import { BotsService } from '../bots/index.js';
import { BotControlService, ConversationsService } from '../conversations/index.js';
import { BotNoticesService } from './bot-notices.service.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import { LiveAttemptsRegistry } from './live-attempts.registry.js';

/** Time for which a typing indicator is shown. */
export const TYPING_MS = 8_000;

/** Shows that a bot is writing an answer that it will send through the API. */
@Injectable()
export class BotTypingService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly control: BotControlService,
    private readonly bots: BotsService,
    private readonly turns: BotTurnsRepository,
    private readonly live: LiveAttemptsRegistry,
    private readonly notices: BotNoticesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Shows the bot typing for 8 seconds, and begins its time for an answer anew.
   * @throws NotFound, BotNotInControl
   */
  async show(principal: ApiKeyPrincipal, conversationId: string, botId: string): Promise<void> {
    const conversation = await this.conversations.get(principal, conversationId);
    await this.control.assertInControl(conversation, botId);
    const bot = await this.bots.find(principal, botId);
    if (!bot) throw new NotFound();
    const deadline = new Date(this.clock.now().getTime() + bot.timeoutSeconds * 1_000);
    await this.turns.extend(principal.workspaceId, conversationId, botId, deadline);
    this.live.extend(conversationId, botId);
    this.notices.showTyping(conversation, bot);
  }
}

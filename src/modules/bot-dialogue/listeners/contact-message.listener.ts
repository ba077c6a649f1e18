import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { systemOf } from '../../../kernel/principal.js';
import { BotsService } from '../../bots/index.js';
import type { Conversation } from '../../conversations/index.js';
import { isControlledByBot } from '../../conversations/index.js';
import type { ContactMessage } from '../../messages/index.js';
import { BotMessageHooks, ContactMessageHooks } from '../../messages/index.js';
import { BotTurnsRepository } from '../bot-turns.repository.js';
import { BotTurnsWorker } from '../bot-turns.worker.js';
import { LiveAttemptsRegistry } from '../live-attempts.registry.js';

/**
 * Writes a turn for each message of a contact that a bot is to answer, and records its messages as answers, in the
 * transactions that store the messages.
 */
@Injectable()
export class ContactMessageListener implements OnModuleInit {
  constructor(
    private readonly contactHooks: ContactMessageHooks,
    private readonly botHooks: BotMessageHooks,
    private readonly bots: BotsService,
    private readonly turns: BotTurnsRepository,
    private readonly worker: BotTurnsWorker,
    private readonly live: LiveAttemptsRegistry,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.contactHooks.add(received => this.onContactMessage(received));
    this.botHooks.add(({ conversation, message: { senderId } }) => this.onBotMessage(conversation, senderId));
  }

  private async onBotMessage(conversation: Conversation, botId: string): Promise<void> {
    const bot = await this.bots.find(systemOf(conversation.workspaceId), botId);
    if (!bot?.webhookUrl) return;
    const now = this.clock.now();
    await this.turns.addMessage(conversation, botId, now, new Date(now.getTime() + bot.timeoutSeconds * 1_000));
    this.live.extend(conversation.id, botId);
  }

  /** A bot without a URL reads and answers through the API: its turn counts as answered. */
  private async onContactMessage({ conversation, message }: ContactMessage): Promise<void> {
    const { workspaceId, id: conversationId, botId } = conversation;
    if (botId === null || !isControlledByBot(conversation)) return;
    const bot = await this.bots.find(systemOf(workspaceId), botId);
    if (!bot?.webhookUrl) return;
    const about = { conversationId, botId, messageId: message.id, seq: message.seq, reason: null };
    await this.turns.add({ workspaceId, id: newId(), kind: 'message', ...about }, this.clock.now());
    this.worker.wakeAfterCommit();
  }
}

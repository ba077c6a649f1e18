import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { systemOf } from '../../../kernel/principal.js';
import { BotsService } from '../../bots/index.js';
import { isControlledByBot } from '../../conversations/index.js';
import type { ContactMessage } from '../../messages/index.js';
import { BotMessageHooks, ContactMessageHooks } from '../../messages/index.js';
import { BotTurnsRepository } from '../bot-turns.repository.js';
import { BotTurnsWorker } from '../bot-turns.worker.js';

/** Writes a turn for each message of a contact that a bot is to answer, in the transaction that stores the message. */
@Injectable()
export class ContactMessageListener implements OnModuleInit {
  constructor(
    private readonly contactHooks: ContactMessageHooks,
    private readonly botHooks: BotMessageHooks,
    private readonly bots: BotsService,
    private readonly turns: BotTurnsRepository,
    private readonly worker: BotTurnsWorker,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.contactHooks.add(received => this.onContactMessage(received));
    this.botHooks.add(({ conversation: { workspaceId, id }, message: { senderId } }) =>
      this.turns.answerAwaited(workspaceId, id, senderId, this.clock.now()),
    );
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

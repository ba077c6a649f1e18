import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { systemOf } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationChangesService, ConversationsService, isControlledByBot } from '../conversations/index.js';
import { BotMessageLimit } from './messages.errors.js';
import { MessagesRepository } from './messages.repository.js';

/** Messages of a bot since the last public one of a person. */
const MAX_IN_A_ROW = 20;

/** Keeps a bot from talking without end while no person writes. */
@Injectable()
export class BotLimitsService {
  private readonly logger = new Logger(BotLimitsService.name);
  /** The handoff must not belong to a unit of work that holds the conversation's lock. */
  private readonly runOutside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly units: UnitOfWork,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly messages: MessagesRepository,
  ) {}

  /** @throws BotMessageLimit. The caller then hands the conversation off. */
  async assertBelowLimit(conversation: Conversation, botId: string): Promise<void> {
    const sent = await this.messages.countInARow(conversation, botId, MAX_IN_A_ROW);
    if (sent >= MAX_IN_A_ROW) throw new BotMessageLimit();
  }

  /**
   * Hands the conversation of a bot that has reached the limit off to people. Within a unit of work it does so after
   * that has ended.
   */
  async handOff(workspaceId: string, conversationId: string): Promise<void> {
    if (!this.units.active) return this.handOffNow(workspaceId, conversationId);
    const report = (error: unknown): void => this.logger.warn(`a handoff failed: ${String(error)}`);
    this.runOutside(() => void this.handOffNow(workspaceId, conversationId).catch(report));
  }

  private handOffNow(workspaceId: string, conversationId: string): Promise<void> {
    const system = systemOf(workspaceId);
    return this.units.run(
      async () => {
        const conversation = await this.conversations.lock(system, conversationId);
        if (isControlledByBot(conversation)) await this.handOffLocked(conversation);
      },
      { row: conversationId },
    );
  }

  /** Hands off a conversation that the caller's unit of work has locked. */
  handOffLocked(conversation: Conversation): Promise<void> {
    const actor = actorOf(systemOf(conversation.workspaceId));
    return this.changes.trigger(conversation, 'handoff', actor, { reason: BotMessageLimit.code });
  }
}

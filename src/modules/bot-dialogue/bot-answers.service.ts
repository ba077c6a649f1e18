import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { systemOf } from '../../kernel/principal.js';
import { WorkerDependencies } from '../../platform/jobs/due.worker.js';
import type { Bot } from '../bots/index.js';
import type { Conversation } from '../conversations/index.js';
import {
  BotControlService,
  ConversationChangesService,
  ConversationsService,
  isControlledByBot,
} from '../conversations/index.js';
import type { NewMessage } from '../messages/index.js';
import { assertHasContent, BotLimitsService, BotMessageLimit, MessagesService } from '../messages/index.js';
import { AnswerUnusable } from './bot-answer.js';
import type { BotActionAnswer } from './bot-answer.schema.js';
import { principalOf } from './bot-deliveries.service.js';
import type { ClaimedTurn } from './bot-turns.repository.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import { retryAt, UNRESPONSIVE } from './bot-turn.js';

/** A message of an answer, with its number in the turn, from 1. */
export interface NumberedMessage extends NewMessage {
  number: number;
}

/** The messages and the action of a turn. */
interface Answer {
  messages: readonly NumberedMessage[];
  action?: BotActionAnswer | undefined;
}

/** The claim on the turn is lost, or the bot is no longer in control: nothing of the answer may be stored. */
export class TurnLost extends Error {}

/**
 * Stores what a bot answers and how its turn ends, each in one unit of work under the conversation's lock. The claim on
 * the turn is checked there, so an answer is stored once, and not after people have taken over.
 */
@Injectable()
export class BotAnswersService {
  constructor(
    private readonly work: WorkerDependencies,
    private readonly turns: BotTurnsRepository,
    private readonly conversations: ConversationsService,
    private readonly control: BotControlService,
    private readonly changes: ConversationChangesService,
    private readonly messages: MessagesService,
    private readonly limits: BotLimitsService,
    private readonly clock: Clock,
  ) {}

  /** Stores one message of a streamed answer. The turn goes on. @throws TurnLost, AnswerUnusable */
  storeMessage(turn: ClaimedTurn, bot: Bot, message: NumberedMessage): Promise<void> {
    return this.inTurn(turn, async conversation => {
      await this.assertServing(conversation, bot);
      await this.send(turn, bot, conversation, [message]);
    });
  }

  /**
   * Stores the answer and ends the turn. One without message and action is awaited until the turn's deadline, unless the
   * bot has sent a message before.
   * @throws TurnLost, AnswerUnusable
   */
  complete(turn: ClaimedTurn, bot: Bot, { messages, action }: Answer): Promise<void> {
    return this.inTurn(turn, async (conversation, { hasMessage }) => {
      if (messages.length > 0 || action) await this.assertServing(conversation, bot);
      const isBelowLimit = await this.send(turn, bot, conversation, messages);
      if (hasMessage || messages.length > 0 || action) await this.turns.end(turn, 'answered', this.clock.now());
      else await this.turns.awaitAnswer(turn);
      if (action && isBelowLimit) await this.act(conversation, bot, action);
      await this.turns.openNext(turn.workspaceId, turn.conversationId, this.clock.now());
    });
  }

  /** Ends a turn that there is nothing to deliver for. @throws TurnLost */
  skip(turn: ClaimedTurn): Promise<void> {
    return this.inTurn(turn, async () => {
      await this.turns.end(turn, 'answered', this.clock.now());
      await this.turns.openNext(turn.workspaceId, turn.conversationId, this.clock.now());
    });
  }

  /**
   * Stores what the bot had written, and hands the conversation off.
   * @param partial the unfinished message; null if there is none
   */
  fail(turn: ClaimedTurn, bot: Bot | null, partial: NumberedMessage | null): Promise<void> {
    return this.inTurn(turn, async conversation => {
      if (partial && bot) await this.send(turn, bot, conversation, [partial]);
      await this.turns.end(turn, 'failed', this.clock.now());
      if (!isControlledByBot(conversation)) return;
      const system = actorOf(systemOf(turn.workspaceId));
      await this.changes.trigger(conversation, 'handoff', system, { reason: UNRESPONSIVE });
    });
  }

  /** Makes another attempt due after the pause, or hands off after the last one. */
  async retry(turn: ClaimedTurn): Promise<void> {
    const at = retryAt(turn, this.clock.now());
    if (at) await this.work.query(() => this.turns.retry(turn, at));
    else await this.fail(turn, null, null);
  }

  /** Makes the turn due again at once: the attempt was cut off because this instance stops. */
  release(turn: ClaimedTurn): Promise<void> {
    return this.work.query(() => this.turns.release(turn, this.clock.now()));
  }

  /** Runs under the locks of the conversation and the turn, while the bot is in control. @throws TurnLost */
  private inTurn(
    turn: ClaimedTurn,
    work: (conversation: Conversation, locked: ClaimedTurn) => Promise<void>,
  ): Promise<void> {
    const { workspaceId, conversationId, botId } = turn;
    return this.work.transaction(
      async () => {
        const conversation = await this.conversations.lock(systemOf(workspaceId), conversationId);
        const locked = await this.turns.lock(turn);
        if (!locked || !isControlledByBot(conversation, botId)) throw new TurnLost();
        await work(conversation, locked);
      },
      { row: conversationId },
    );
  }

  /** A bot that was disabled or detached does nothing more until people have its conversation. @throws TurnLost */
  private async assertServing(conversation: Conversation, bot: Bot): Promise<void> {
    const serving = await this.control.findServingBotOf(conversation);
    if (serving?.id !== bot.id) throw new TurnLost();
  }

  /** @returns false if the bot has reached its limit of messages in a row, and the conversation was handed off */
  private async send(
    turn: ClaimedTurn,
    bot: Bot,
    conversation: Conversation,
    messages: readonly NumberedMessage[],
  ): Promise<boolean> {
    const principal = principalOf(bot, conversation);
    for (const { number, ...message } of messages) {
      const request = { ...message, client_message_id: `${turn.id}:${number}` };
      try {
        if ((request.attachment_ids ?? []).length === 0) assertHasContent(request.content);
        await this.messages.sendLocked(principal, conversation, request);
      } catch (error) {
        if (error instanceof BotMessageLimit) {
          await this.limits.handOffLocked(conversation);
          return false;
        }
        throw error instanceof DomainError ? new AnswerUnusable(error.code, { cause: error }) : error;
      }
    }
    return true;
  }

  private act(conversation: Conversation, bot: Bot, { type, reason, summary }: BotActionAnswer): Promise<void> {
    const actor = actorOf(principalOf(bot, conversation));
    return this.changes.trigger(conversation, type, actor, { reason, summary });
  }
}

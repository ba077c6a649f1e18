import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { systemOf } from '../../kernel/principal.js';
import { WorkerDependencies } from '../../platform/jobs/due.worker.js';
import type { OutboundStream } from '../../platform/outbound/outbound-requests.service.js';
import { OutboundRequestsService } from '../../platform/outbound/outbound-requests.service.js';
import type { Bot } from '../bots/index.js';
import { BotsService } from '../bots/index.js';
import type { Conversation } from '../conversations/index.js';
import { BotControlService, ConversationsService } from '../conversations/index.js';
import { AnswerReaderService } from './answer-reader.service.js';
import { BotAnswersService, TurnLost } from './bot-answers.service.js';
import { BotDeliveriesService } from './bot-deliveries.service.js';
import { BotMetricsService } from './bot-metrics.service.js';
import { BotNoticesService } from './bot-notices.service.js';
import { MAX_ATTEMPTS } from './bot-turn.js';
import type { ClaimedTurn } from './bot-turns.repository.js';
import { BotTurnsRepository } from './bot-turns.repository.js';
import { LiveAttempt } from './live-attempt.js';
import { LEASE_MS, LiveAttemptsRegistry } from './live-attempts.registry.js';

/** Works off one claimed turn: an attempt to deliver it, or a handoff because its time is over. */
@Injectable()
export class BotAttemptsService {
  private readonly logger = new Logger(BotAttemptsService.name);

  constructor(
    private readonly work: WorkerDependencies,
    private readonly turns: BotTurnsRepository,
    private readonly conversations: ConversationsService,
    private readonly control: BotControlService,
    private readonly bots: BotsService,
    private readonly deliveries: BotDeliveriesService,
    private readonly answers: BotAnswersService,
    private readonly reader: AnswerReaderService,
    private readonly notices: BotNoticesService,
    private readonly outbound: OutboundRequestsService,
    private readonly live: LiveAttemptsRegistry,
    private readonly metrics: BotMetricsService,
    private readonly clock: Clock,
  ) {}

  /** Never throws: what fails here is claimed again when its lease has ended. */
  async run(claimed: ClaimedTurn): Promise<void> {
    try {
      if (claimed.kind === 'ended') await this.notifyEnd(claimed);
      else await this.answer(claimed);
    } catch (error) {
      if (error instanceof TurnLost) return;
      this.logger.warn(`turn ${claimed.id} of a bot failed and is repeated: ${String(error)}`);
    }
  }

  private async answer(claimed: ClaimedTurn): Promise<void> {
    const now = this.clock.now();
    const { workspaceId, botId, state, attempts, deadlineAt } = claimed;
    const isOver = deadlineAt !== null && deadlineAt <= now;
    if (state === 'awaiting' || attempts >= MAX_ATTEMPTS || isOver) return this.handOff(claimed);
    const bot = await this.work.query(() => this.bots.find(systemOf(workspaceId), botId));
    const conversation = await this.findConversation(claimed);
    const serving = conversation && (await this.work.query(() => this.control.findServingBotOf(conversation)));
    // the sweep of the channel hands off the conversation, with the reason
    if (!bot || !conversation || serving?.id !== botId) return;
    if (bot.webhookUrl === null) return this.answers.skip(claimed);
    const limit = new Date(now.getTime() + bot.timeoutSeconds * 1_000);
    const turn = await this.work.query(() => this.turns.begin(claimed, this.leaseEnd(), limit));
    if (turn) await this.attempt(turn, bot, conversation);
  }

  private async attempt(turn: ClaimedTurn, bot: Bot, conversation: Conversation): Promise<void> {
    const body = await this.work.query(() => this.deliveries.renderMessage(turn, bot, conversation));
    if (body === null) return this.answers.skip(turn);
    const now = this.clock.now();
    const attempt = new LiveAttempt(turn, bot, conversation, (turn.deadlineAt ?? now).getTime() - now.getTime(), now);
    this.live.add(attempt);
    const stopTyping = this.notices.startTyping(conversation, bot);
    try {
      const read = (answer: OutboundStream): Promise<void> => this.reader.read(attempt, answer);
      const request = { ...this.addressed(turn, bot), body, signal: attempt.signal };
      await this.outbound.stream({ ...request, onStart: () => this.startTime(attempt) }, read);
      this.metrics.countAttempt('answered');
    } catch (error) {
      await this.afterFailure(attempt, error);
    } finally {
      stopTyping();
      this.live.remove(attempt);
    }
  }

  /** The bot's time does not run while its first request waits for others. */
  private startTime(attempt: LiveAttempt): void {
    if (attempt.turn.attempts === 1) attempt.extend(this.clock.now());
  }

  private async afterFailure(attempt: LiveAttempt, error: unknown): Promise<void> {
    const { turn, bot, draft } = attempt;
    if (attempt.isComplete) return;
    if (attempt.isLost || error instanceof TurnLost) {
      draft?.end('cancelled');
      return this.metrics.countAttempt('cancelled');
    }
    if (attempt.isStopped && !attempt.hasBegun) return this.answers.release(turn);
    this.logger.debug(`attempt ${turn.attempts} of turn ${turn.id} failed: ${String(error)}`);
    this.metrics.countAttempt('failed');
    if (!attempt.hasBegun && attempt.deadlineAt > this.clock.now()) return this.answers.retry(turn);
    try {
      await this.answers.fail(turn, bot, this.reader.partialOf(attempt));
      draft?.end('done');
    } catch (failure) {
      draft?.end('cancelled');
      throw failure;
    }
  }

  private handOff(turn: ClaimedTurn): Promise<void> {
    return this.answers.fail(turn, null, null);
  }

  /** One attempt, whose answer is ignored. */
  private async notifyEnd(claimed: ClaimedTurn): Promise<void> {
    const conversation = await this.findConversation(claimed);
    const bot = await this.work.query(() => this.bots.find(systemOf(claimed.workspaceId), claimed.botId));
    const isFirst = claimed.attempts === 0;
    const turn = await this.work.query(() => this.turns.begin(claimed, this.leaseEnd(), this.clock.now()));
    if (!turn) return;
    try {
      if (isFirst && bot?.webhookUrl && conversation) {
        await this.outbound.post({ ...this.addressed(turn, bot), body: this.deliveries.renderEnd(turn, conversation) });
      }
    } catch (error) {
      this.logger.debug(`the end ${turn.id} could not be told: ${String(error)}`);
    }
    await this.work.query(() => this.turns.end(turn, 'answered', this.clock.now()));
  }

  private addressed({ id, workspaceId }: ClaimedTurn, bot: Bot) {
    return { url: bot.webhookUrl ?? '', workspaceId, id, secrets: this.bots.signingSecretsOf(bot) };
  }

  private findConversation({ workspaceId, conversationId }: ClaimedTurn): Promise<Conversation | null> {
    return this.work.query(() => this.conversations.find(systemOf(workspaceId), conversationId));
  }

  private leaseEnd(): Date {
    return new Date(this.clock.now().getTime() + LEASE_MS);
  }
}

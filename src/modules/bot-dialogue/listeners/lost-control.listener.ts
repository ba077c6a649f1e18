import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { Actor } from '../../../kernel/domain-event.js';
import { newId } from '../../../kernel/ids.js';
import { systemOf } from '../../../kernel/principal.js';
import { BotsService } from '../../bots/index.js';
import type { Conversation, ConversationChange } from '../../conversations/index.js';
import { ConversationChangeHooks, isControlledByBot } from '../../conversations/index.js';
import type { EndReason } from '../bot-turn.js';
import { BotTurnsRepository } from '../bot-turns.repository.js';
import { BotTurnsWorker } from '../bot-turns.worker.js';

/**
 * Cancels what a bot was to answer when it loses control of a conversation, and tells it so, in the transaction that
 * takes the control. A bot that has ended the conversation itself is not told.
 */
@Injectable()
export class LostControlListener implements OnModuleInit {
  constructor(
    private readonly changeHooks: ConversationChangeHooks,
    private readonly bots: BotsService,
    private readonly turns: BotTurnsRepository,
    private readonly worker: BotTurnsWorker,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.changeHooks.add((changes, actor) => this.onChanges(changes, actor));
  }

  private async onChanges(changes: readonly ConversationChange[], actor: Actor): Promise<void> {
    const lost = changes.flatMap(({ from, to }) =>
      from && isControlledByBot(from) && !isControlledByBot(to, from.botId) ? [{ from, to }] : [],
    );
    const [first] = lost;
    if (!first) return;
    const { workspaceId } = first.to;
    await this.turns.cancelAll(
      workspaceId,
      lost.map(({ to }) => to.id),
      this.clock.now(),
    );
    for (const { from, to } of lost) await this.notifyEnd(from, to, actor);
    this.worker.wakeAfterCommit();
  }

  private async notifyEnd(from: Conversation, to: Conversation, actor: Actor): Promise<void> {
    const { botId } = from;
    if (botId === null || (actor.type === 'bot' && actor.id === botId)) return;
    const bot = await this.bots.find(systemOf(to.workspaceId), botId);
    if (!bot?.webhookUrl) return;
    const about = { conversationId: to.id, botId, messageId: null, seq: to.lastSeq, reason: endReasonOf(from, to) };
    await this.turns.add({ workspaceId: to.workspaceId, id: newId(), kind: 'ended', ...about }, this.clock.now());
  }
}

function endReasonOf(from: Conversation, to: Conversation): EndReason {
  if (to.status === 'resolved') return to.resolvedBy?.type === 'contact' ? 'closed_by_contact' : 'resolved';
  return to.handoff !== null && to.handoff.at !== from.handoff?.at ? 'handed_off' : 'taken';
}

import { Injectable, OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { ConversationChange } from '../../conversations/index.js';
import { ConversationChangeHooks, isControlledByBot } from '../../conversations/index.js';
import { BotTurnsRepository } from '../bot-turns.repository.js';
import { BotTurnsWorker } from '../bot-turns.worker.js';

/**
 * Restores the turns that a resolve has cancelled when it is taken back, in the transaction that gives the control back:
 * the bot would answer nothing otherwise, and no deadline would hand the conversation off.
 */
@Injectable()
export class ReturnedControlListener implements OnModuleInit {
  constructor(
    private readonly changeHooks: ConversationChangeHooks,
    private readonly turns: BotTurnsRepository,
    private readonly worker: BotTurnsWorker,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.changeHooks.add(changes => this.onChanges(changes));
  }

  private async onChanges(changes: readonly ConversationChange[]): Promise<void> {
    for (const { from, to } of changes) {
      if (!from?.resolvedAt || !isControlledByBot(to)) continue;
      // a contact who writes again asks anew
      if (from.reopenedCount !== to.reopenedCount) continue;
      await this.turns.restore(to, from.resolvedAt, this.clock.now());
      this.worker.wakeAfterCommit();
    }
  }
}

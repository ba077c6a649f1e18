import { Injectable } from '@nestjs/common';
import { systemOf } from '../../kernel/principal.js';
import { actorOf } from '../../kernel/actor.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { ConversationChangesService } from './conversation-changes.service.js';
import { ConversationsRepository } from './conversations.repository.js';
import { SnoozesRepository } from './snoozes.repository.js';

/** Opens snoozed conversations when their time has come. */
@Injectable()
export class SnoozeWorker extends DueWorker<DueRow> {
  protected readonly name = 'snoozes';

  constructor(
    dependencies: WorkerDependencies,
    private readonly snoozes: SnoozesRepository,
    private readonly conversations: ConversationsRepository,
    private readonly changes: ConversationChangesService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.snoozes.findDue(query);
  }

  /** Checks the time again under the lock: the snooze may have been moved, or ended by a message. */
  protected work({ id, workspaceId }: DueRow, now: Date): Promise<boolean> {
    const principal = systemOf(workspaceId);
    return this.transaction(async () => {
      const conversation = await this.conversations.tryLockVisible(principal, id);
      if (!conversation) return false;
      const { status, snoozedUntil } = conversation;
      if (status === 'snoozed' && snoozedUntil !== null && snoozedUntil <= now) {
        await this.changes.trigger(conversation, 'wake', actorOf(principal), { reason: 'snooze_ended' });
      }
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.snoozes.measure(now);
  }
}

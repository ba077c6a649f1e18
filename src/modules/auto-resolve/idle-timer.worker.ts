import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { systemOf } from '../../kernel/principal.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { ChannelsService } from '../channels/index.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationChangesService, ConversationsService } from '../conversations/index.js';
import { IdleTimersRepository } from './idle-timers.repository.js';

const HOUR_MS = 3_600_000;

/** Looks at conversations whose timer is due: resolves those that are idle, and sets the timer of the others anew. */
@Injectable()
export class IdleTimerWorker extends DueWorker<DueRow> {
  protected readonly name = 'idle_timers';

  constructor(
    dependencies: WorkerDependencies,
    private readonly timers: IdleTimersRepository,
    private readonly channels: ChannelsService,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.timers.findDue(query);
  }

  protected work(row: DueRow, now: Date): Promise<boolean> {
    const principal = systemOf(row.workspaceId);
    return this.transaction(async () => {
      const conversation = await this.conversations.tryLock(principal, row.id);
      if (!conversation) return false;
      if (!(await this.timers.isDue(row, now))) return true;
      const channel = await this.channels.find(row.workspaceId, conversation.channelId);
      const hours = channel?.autoResolveHours ?? null;
      const dueAt = hours === null ? null : idleAt(conversation, hours * HOUR_MS, now);
      if (dueAt === null) await this.timers.disarm(row.workspaceId, [row.id]);
      else if (dueAt > now) await this.timers.postpone(row, dueAt);
      else await this.changes.trigger(conversation, 'idle', actorOf(principal), { reason: 'idle' });
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.timers.measure(now);
  }
}

/**
 * Returns the time from which the conversation is idle; null if it cannot become so. A contact who waits for a person is
 * waiting, not idle: the time begins with the answer at the earliest.
 */
function idleAt(conversation: Conversation, idleMs: number, now: Date): Date | null {
  const { status, waitingSince, lastPublicMessage, createdAt } = conversation;
  if (status !== 'open' && status !== 'pending') return null;
  if (status === 'open' && waitingSince !== null) return new Date(now.getTime() + idleMs);
  const activeAt = lastPublicMessage ? new Date(lastPublicMessage.created_at) : createdAt;
  return new Date(activeAt.getTime() + idleMs);
}

import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { systemOf } from '../../kernel/principal.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import type { Conversation } from '../conversations/index.js';
import { ConversationChangesService, ConversationsService } from '../conversations/index.js';
import { MemberPresenceService, MembersService } from '../members/index.js';
import { AssigneeWatchesRepository } from './assignee-watches.repository.js';

/** Watches per statement. */
const BATCH = 500;
const LOOK_AGAIN_MS = 30_000;

/**
 * Unassigns conversations whose contact waits while the assignee has been offline for the time that the channel allows.
 * It begins when the service has run long enough for members to reconnect after an outage.
 */
@Injectable()
export class AbsentAssigneesWorker extends DueWorker<DueRow> {
  protected readonly name = 'absent_assignees';
  private readonly startedAt: Date;

  constructor(
    dependencies: WorkerDependencies,
    private readonly watches: AssigneeWatchesRepository,
    private readonly conversations: ConversationsService,
    private readonly changes: ConversationChangesService,
    private readonly members: MembersService,
    private readonly presence: MemberPresenceService,
  ) {
    super(dependencies);
    this.startedAt = dependencies.clock.now();
  }

  protected async claim(query: DueQuery): Promise<DueRow[]> {
    if (query.now.getTime() < this.startedAt.getTime() + this.watches.certainAfterMs) return [];
    for (;;) {
      const { absent, count } = await this.watches.look({ ...query, limit: BATCH });
      if (absent.length > 0 || count < BATCH) return absent;
    }
  }

  protected work({ id, workspaceId }: DueRow, now: Date): Promise<boolean> {
    return this.transaction(async () => {
      const conversation = await this.conversations.tryLock(systemOf(workspaceId), id);
      if (!conversation) return false;
      if (!(await this.watches.isAbsent(workspaceId, id, now))) return true;
      if (await this.isOnline(conversation)) {
        await this.watches.postpone(workspaceId, id, new Date(now.getTime() + LOOK_AGAIN_MS));
        return true;
      }
      const timeline = { event: 'unassigned', public: false, reason: 'assignee_offline' } as const;
      const actor = actorOf(systemOf(workspaceId));
      await this.changes.apply(conversation, { columns: { assigneeId: null }, timeline }, actor);
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.watches.measure(now);
  }

  /** A connection that this instance knows is newer than what the database says. */
  private async isOnline({ workspaceId, assigneeId }: Conversation): Promise<boolean> {
    const member = assigneeId === null ? null : await this.members.find(systemOf(workspaceId), assigneeId);
    return member !== null && this.presence.getAvailability(member) !== 'offline';
  }
}

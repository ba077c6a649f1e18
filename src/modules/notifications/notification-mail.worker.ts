import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { MemberPresenceService } from '../members/index.js';
import { NotificationMailService } from './notification-mail.service.js';
import { NotificationMailsRepository, PAUSE_MS, UNREAD_MS } from './notification-mails.repository.js';

/**
 * Mails notifications that have been unread for five minutes, at most one mail per member and quarter of an hour. A member
 * with an open socket at that time has seen them, and gets none.
 */
@Injectable()
export class NotificationMailWorker extends DueWorker<DueRow> {
  protected readonly name = 'notification_mails';

  constructor(
    dependencies: WorkerDependencies,
    private readonly schedules: NotificationMailsRepository,
    private readonly mail: NotificationMailService,
    private readonly presence: MemberPresenceService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.schedules.findDue(query);
  }

  protected work(row: DueRow, now: Date): Promise<boolean> {
    return this.transaction(async () => {
      const schedule = await this.schedules.tryLock(row);
      if (!schedule) return false;
      if (schedule.dueAt === null || schedule.dueAt > now) return true;
      const pending = await this.schedules.findPending(row);
      const isDue = ({ createdAt }: { createdAt: Date }) => createdAt.getTime() + UNREAD_MS <= now.getTime();
      const due = pending.filter(isDue).map(({ id }) => id);
      const waiting = pending.find(notification => !isDue(notification));
      await this.schedules.settle(row.workspaceId, due);
      const mailed = due.length > 0 && !this.presence.isConnected(row.workspaceId, row.id);
      if (mailed) await this.mail.add(row.workspaceId, row.id, due);
      const mailedAt = mailed ? now : schedule.mailedAt;
      await this.schedules.save(row, { dueAt: nextDue(waiting?.createdAt, mailedAt), mailedAt });
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.schedules.measure(now);
  }
}

/** @param createdAt of the oldest notification that still waits */
function nextDue(createdAt: Date | undefined, mailedAt: Date | null): Date | null {
  if (!createdAt) return null;
  return new Date(Math.max(createdAt.getTime() + UNREAD_MS, (mailedAt?.getTime() ?? 0) + PAUSE_MS));
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { Notification } from './notification.js';

/** Time for which a notification stays unread before it is mailed. */
export const UNREAD_MS = 5 * 60_000;
/** Time between two mails to a member. */
export const PAUSE_MS = 15 * 60_000;

const SCHEDULE = statement(`
  INSERT INTO notification_mail AS known (workspace_id, member_id, due_at)
  SELECT DISTINCT workspace_id, member_id, $3::timestamptz
  FROM unnest($1::uuid[], $2::uuid[]) AS member (workspace_id, member_id) ORDER BY workspace_id, member_id
  ON CONFLICT (workspace_id, member_id) DO UPDATE
    SET due_at = coalesce(known.due_at, greatest(excluded.due_at, known.mailed_at + $4::int * interval '1 ms'))`);
const DUE = statement(`
  SELECT member_id AS id, workspace_id AS "workspaceId" FROM notification_mail
  WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND member_id <> ALL($4::uuid[])
  ORDER BY due_at LIMIT $2`);
const BACKLOG = backlogStatement('due_at', 'notification_mail WHERE due_at <= $1');
const LOCK = statement(`
  SELECT due_at AS "dueAt", mailed_at AS "mailedAt" FROM notification_mail
  WHERE workspace_id = $1 AND member_id = $2 FOR UPDATE SKIP LOCKED`);
const PENDING = statement(`
  SELECT id, created_at AS "createdAt" FROM notification
  WHERE workspace_id = $1 AND member_id = $2 AND read_at IS NULL AND mail_due ORDER BY id`);
const SETTLE = statement(`UPDATE notification SET mail_due = false WHERE workspace_id = $1 AND id = ANY($2::uuid[])`);
const POSTPONE = statement(`
  UPDATE notification_mail SET due_at = $3, mailed_at = $4 WHERE workspace_id = $1 AND member_id = $2`);

export interface MailSchedule {
  dueAt: Date | null;
  mailedAt: Date | null;
}

/** Stores when the notifications of each member are mailed. */
@Injectable()
export class NotificationMailsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Schedules a mail of these members' notifications, unless there is an earlier one. */
  async schedule(notifications: readonly Notification[], now: Date): Promise<void> {
    if (notifications.length === 0) return;
    await this.sql.count(SCHEDULE, [
      notifications.map(({ workspaceId }) => workspaceId),
      notifications.map(({ memberId }) => memberId),
      new Date(now.getTime() + UNREAD_MS),
      PAUSE_MS,
    ]);
  }

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }

  /** @returns null if another transaction has locked it */
  async tryLock({ workspaceId, id }: DueRow): Promise<MailSchedule | null> {
    return (await this.sql.first<MailSchedule>(LOCK, [workspaceId, id])) ?? null;
  }

  /** The member's unread notifications that were not mailed, oldest first. */
  findPending({ workspaceId, id }: DueRow): Promise<Pick<Notification, 'id' | 'createdAt'>[]> {
    return this.sql.rows(PENDING, [workspaceId, id]);
  }

  /** Ends the wait of notifications: they were mailed, or need no mail. */
  async settle(workspaceId: string, ids: readonly string[]): Promise<void> {
    await this.sql.count(SETTLE, [workspaceId, ids]);
  }

  async save({ workspaceId, id }: DueRow, { dueAt, mailedAt }: MailSchedule): Promise<void> {
    await this.sql.count(POSTPONE, [workspaceId, id, dueAt, mailedAt]);
  }
}

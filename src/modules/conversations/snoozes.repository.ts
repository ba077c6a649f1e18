import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';

const DUE = statement(`
  SELECT id, workspace_id AS "workspaceId" FROM conversation
  WHERE status = 'snoozed' AND snoozed_until <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
  ORDER BY snoozed_until LIMIT $2`);
const BACKLOG = backlogStatement('snoozed_until', "conversation WHERE status = 'snoozed' AND snoozed_until <= $1");

/** Finds snoozes that have ended. */
@Injectable()
export class SnoozesRepository {
  constructor(private readonly sql: SqlService) {}

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

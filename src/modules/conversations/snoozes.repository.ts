import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog, DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { BACKLOG_LIMIT } from '../../platform/jobs/due.worker.js';

const DUE = statement(`
  SELECT id, workspace_id AS "workspaceId" FROM conversation
  WHERE status = 'snoozed' AND snoozed_until <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
  ORDER BY snoozed_until LIMIT $2`);
const BACKLOG = statement(`
  SELECT count(*)::int AS count, min(snoozed_until) AS oldest FROM (
    SELECT snoozed_until FROM conversation
    WHERE status = 'snoozed' AND snoozed_until <= $1 ORDER BY snoozed_until LIMIT ${BACKLOG_LIMIT}
  ) AS due`);

/** Finds snoozes that have ended. */
@Injectable()
export class SnoozesRepository {
  constructor(private readonly sql: SqlService) {}

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  async measure(now: Date): Promise<Backlog> {
    return (await this.sql.first<Backlog>(BACKLOG, [now])) ?? { count: 0, oldest: null };
  }
}

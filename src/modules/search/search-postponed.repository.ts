import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';

/** Reads one entry of the index per workspace, however many rows each has. */
const WORKSPACES = statement(`
  WITH RECURSIVE waiting (id) AS (
    (SELECT workspace_id FROM search_postponed WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1)
    UNION ALL
    SELECT next.workspace_id FROM waiting CROSS JOIN LATERAL (
      SELECT workspace_id FROM search_postponed WHERE workspace_id > waiting.id ORDER BY workspace_id LIMIT 1
    ) AS next
  )
  SELECT id, id AS "workspaceId" FROM waiting WHERE id <> ALL($2::uuid[]) LIMIT $3`);
const BACKLOG = backlogStatement('postponed_at', 'search_postponed');

/** Workspaces whose long texts wait for the index. */
@Injectable()
export class SearchPostponedRepository {
  constructor(private readonly sql: SqlService) {}

  /** Finds workspaces with higher ids, in their order. */
  findWorkspaces(afterId: string, { exceptIds, limit }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(WORKSPACES, [afterId, exceptIds, limit]);
  }

  measure(): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, []);
  }
}

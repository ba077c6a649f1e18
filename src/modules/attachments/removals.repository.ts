import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { AttachmentState } from './attachment.js';

export interface Removal extends DueRow {
  state: AttachmentState;
}

/** From here on nobody reads or sends the file. The lease lets another instance go on after a crash. */
const CLAIM = statement(`
  UPDATE attachment SET due_at = $1::timestamptz + interval '5 minutes', name = '',
    state = CASE state WHEN 'uploading' THEN 'abandoned' WHEN 'ready' THEN 'removed' ELSE state END
  WHERE id IN (
    SELECT id FROM attachment
    WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id, workspace_id AS "workspaceId", state`);
/** The row of a removed file stays for an hour after its upload: it counts for the uploads of the hour. */
const FREE = statement(`
  WITH removed AS (
    UPDATE attachment SET state = 'gone', due_at = created_at + interval '1 hour'
    WHERE id = $1 AND state = 'removed' RETURNING workspace_id, size
  ), abandoned AS (
    DELETE FROM attachment WHERE id = $1 AND state = 'abandoned' RETURNING workspace_id, size
  )
  UPDATE file_usage SET bytes = bytes - freed.size FROM (TABLE removed UNION ALL TABLE abandoned) AS freed
  WHERE file_usage.workspace_id = freed.workspace_id`);
const DELETE = statement(`DELETE FROM attachment WHERE id = $1 AND state = 'gone'`);
const BACKLOG = backlogStatement('due_at', 'attachment WHERE due_at <= $1');

/** Files whose bytes are to go. */
@Injectable()
export class RemovalsRepository {
  constructor(private readonly sql: SqlService) {}

  claim({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<Removal[]> {
    return this.sql.rows<Removal>(CLAIM, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  /** Gives the bytes back to the workspace's quota, once they have left the store. */
  async free(id: string): Promise<void> {
    await this.sql.count(FREE, [id]);
  }

  async delete(id: string): Promise<void> {
    await this.sql.count(DELETE, [id]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

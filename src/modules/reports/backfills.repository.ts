import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';

/** A workspace whose conversations after `afterId` are still to be counted. */
export interface Backfill extends DueRow {
  afterId: string;
}

/**
 * Transactions that were open when the consumer began may commit messages from before. Those that could are below the
 * barrier. In a restored database a barrier may lie ahead of all ids.
 */
const MAY_BEGIN = `(barrier <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                OR barrier > pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`;
const COLUMNS = `workspace_id AS id, workspace_id AS "workspaceId", after_id AS "afterId"`;
const MUST_QUEUE = statement(`
  SELECT true AS found FROM report_state WHERE NOT queued AND counted_from + interval '1 second' < clock_timestamp()`);
const QUEUE = statement(`
  WITH origin AS (
    UPDATE report_state SET queued = true WHERE NOT queued AND counted_from + interval '1 second' < clock_timestamp()
    RETURNING true
  )
  INSERT INTO report_backfill (workspace_id, after_id, barrier, queued_at)
  SELECT id, '${NIL_ID}', pg_snapshot_xmax(pg_current_snapshot())::text::bigint, clock_timestamp()
  FROM origin CROSS JOIN workspace ORDER BY id
  ON CONFLICT DO NOTHING`);
const DUE = statement(`
  SELECT ${COLUMNS} FROM report_backfill
  WHERE ${MAY_BEGIN} AND workspace_id <> ALL($2::uuid[]) AND workspace_id <> ALL($3::uuid[])
  ORDER BY queued_at, workspace_id LIMIT $1`);
const LOCK = statement(`
  SELECT ${COLUMNS} FROM report_backfill WHERE workspace_id = $1 AND ${MAY_BEGIN} FOR UPDATE SKIP LOCKED`);
const ADVANCE = statement('UPDATE report_backfill SET after_id = $2 WHERE workspace_id = $1');
const END = statement('DELETE FROM report_backfill WHERE workspace_id = $1');
const BACKLOG = backlogStatement('queued_at', 'report_backfill');

/**
 * Clears all that is counted, and begins anew: the log from now on, and what is older from the tables. The first two steps
 * wait for the consumer and for a slice of the backfill.
 */
const RESTART = [
  `UPDATE event_reader SET since = settled, horizon = settled, position = 0, passed = '{}'
   FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled) AS log WHERE name = 'reports'`,
  'TRUNCATE report_backfill',
  'TRUNCATE report_fact, report_outcome',
  `UPDATE report_state SET counted_from = clock_timestamp() + interval '1 second', queued = false`,
].map(text => statement(text));

/** Which workspaces are still to be counted from the tables. */
@Injectable()
export class BackfillsRepository {
  constructor(private readonly sql: SqlService) {}

  async findDue({ limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<Backfill[]> {
    if (await this.sql.first(MUST_QUEUE)) await this.sql.count(QUEUE);
    return this.sql.rows<Backfill>(DUE, [limit, exceptWorkspaceIds, exceptIds]);
  }

  /** @returns undefined if it has ended or another transaction has locked it */
  tryLock(workspaceId: string): Promise<Backfill | undefined> {
    return this.sql.first<Backfill>(LOCK, [workspaceId]);
  }

  /** @param lastId the last conversation counted; null if there is no further one */
  async advance(workspaceId: string, lastId: string | null): Promise<void> {
    if (lastId === null) await this.sql.count(END, [workspaceId]);
    else await this.sql.count(ADVANCE, [workspaceId, lastId]);
  }

  measure(): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, []);
  }

  /** Runs in the caller's unit of work. */
  async restart(): Promise<void> {
    for (const step of RESTART) await this.sql.count(step);
  }
}

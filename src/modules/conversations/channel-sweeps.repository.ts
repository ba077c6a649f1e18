import { Injectable } from '@nestjs/common';
import { newId, NIL_ID } from '../../kernel/ids.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';

/** The task visits the conversations after `afterId`. */
export interface ChannelSweep extends DueRow {
  channelId: string;
  task: string;
  afterId: string;
}

/**
 * A conversation that is opened while the setting changes may follow the old one, and stays invisible until it is
 * committed. So once the change is visible, a sweep waits for the transactions that are open then: their ids are below
 * its barrier. In a restored database a barrier may lie ahead of all ids.
 */
const MAY_BEGIN = `(barrier <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                OR barrier > pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`;
const COLUMNS = `id, workspace_id AS "workspaceId", channel_id AS "channelId", task, after_id AS "afterId"`;

const REQUEST = statement(`
  INSERT INTO channel_sweep (id, workspace_id, channel_id, task, after_id, requested_at)
  VALUES ($1, $2, $3, $4, '${NIL_ID}', $5)
  ON CONFLICT (workspace_id, channel_id, task)
  DO UPDATE SET after_id = excluded.after_id, barrier = NULL, requested_at = excluded.requested_at`);
const SET_BARRIERS = statement(`
  UPDATE channel_sweep SET barrier = pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  WHERE id IN (SELECT id FROM channel_sweep WHERE barrier IS NULL FOR UPDATE SKIP LOCKED)`);
const WITHOUT_BARRIER = statement('SELECT true AS found FROM channel_sweep WHERE barrier IS NULL LIMIT 1');
const DUE = statement(`
  SELECT ${COLUMNS} FROM channel_sweep
  WHERE ${MAY_BEGIN} AND workspace_id <> ALL($2::uuid[]) AND id <> ALL($3::uuid[])
  ORDER BY requested_at LIMIT $1`);
const LOCK = statement(`SELECT ${COLUMNS} FROM channel_sweep WHERE id = $1 AND ${MAY_BEGIN} FOR UPDATE SKIP LOCKED`);
const ADVANCE = statement('UPDATE channel_sweep SET after_id = $2 WHERE id = $1');
const END = statement('DELETE FROM channel_sweep WHERE id = $1');
const BACKLOG = backlogStatement('requested_at', 'channel_sweep');

@Injectable()
export class ChannelSweepsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Begins the sweep anew if it is under way. */
  async request(workspaceId: string, channelId: string, task: string, now: Date): Promise<void> {
    await this.sql.count(REQUEST, [newId(), workspaceId, channelId, task, now]);
  }

  async findDue({ limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<ChannelSweep[]> {
    if (await this.sql.first(WITHOUT_BARRIER)) await this.sql.count(SET_BARRIERS);
    return this.sql.rows<ChannelSweep>(DUE, [limit, exceptWorkspaceIds, exceptIds]);
  }

  /** @returns undefined if the sweep has ended or another transaction has locked it */
  tryLock(id: string): Promise<ChannelSweep | undefined> {
    return this.sql.first<ChannelSweep>(LOCK, [id]);
  }

  /** @param lastId the last conversation visited; null if there is no further one */
  async advance(id: string, lastId: string | null): Promise<void> {
    if (lastId === null) await this.sql.count(END, [id]);
    else await this.sql.count(ADVANCE, [id, lastId]);
  }

  measure(): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, []);
  }
}

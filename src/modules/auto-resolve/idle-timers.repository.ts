import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';

/** A conversation whose timer starts. */
export interface Arming {
  conversationId: string;
  channelId: string;
}

const ARM = statement(`
  INSERT INTO idle_timer (workspace_id, conversation_id, due_at)
  SELECT $1, armed.conversation_id, $4::timestamptz + make_interval(hours => channel.auto_resolve_hours)
  FROM unnest($2::uuid[], $3::uuid[]) AS armed (conversation_id, channel_id)
  JOIN channel ON channel.workspace_id = $1 AND channel.id = armed.channel_id
  WHERE channel.auto_resolve_hours IS NOT NULL
  ORDER BY armed.conversation_id
  ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET due_at = excluded.due_at`);
const DISARM = statement('DELETE FROM idle_timer WHERE workspace_id = $1 AND conversation_id = ANY($2)');
const POSTPONE = statement('UPDATE idle_timer SET due_at = $3 WHERE workspace_id = $1 AND conversation_id = $2');
/** Timers may be early, because a due conversation is looked at again. So those of conversations that wait are too. */
const ARM_SLICE = statement(`
  WITH slice AS MATERIALIZED (
    SELECT id, coalesce((last_public_message ->> 'created_at')::timestamptz, created_at) AS active_at
    FROM conversation
    WHERE workspace_id = $1 AND channel_id = $2 AND status IN ('open', 'pending') AND id > $3 ORDER BY id LIMIT $4
  ),
  armed AS (
    INSERT INTO idle_timer (workspace_id, conversation_id, due_at)
    SELECT $1, slice.id, slice.active_at + make_interval(hours => channel.auto_resolve_hours)
    FROM slice JOIN channel ON channel.workspace_id = $1 AND channel.id = $2
    WHERE channel.auto_resolve_hours IS NOT NULL
    ORDER BY slice.id
    ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET due_at = excluded.due_at
  )
  SELECT count(*)::int AS count, (array_agg(id ORDER BY id DESC))[1] AS "lastId" FROM slice`);
const DUE = statement(`
  SELECT conversation_id AS id, workspace_id AS "workspaceId" FROM idle_timer
  WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND conversation_id <> ALL($4::uuid[])
  ORDER BY due_at LIMIT $2`);
const IS_DUE = statement(
  'SELECT true AS due FROM idle_timer WHERE workspace_id = $1 AND conversation_id = $2 AND due_at <= $3',
);
const BACKLOG = backlogStatement('due_at', 'idle_timer WHERE due_at <= $1');

@Injectable()
export class IdleTimersRepository {
  constructor(private readonly sql: SqlService) {}

  /** Starts the timers of conversations whose channel resolves idle ones. @param armings in the order of their ids */
  async arm(workspaceId: string, armings: readonly Arming[], now: Date): Promise<void> {
    const ids = armings.map(({ conversationId }) => conversationId);
    const channelIds = armings.map(({ channelId }) => channelId);
    await this.sql.count(ARM, [workspaceId, ids, channelIds, now]);
  }

  /** Starts or moves the timers of the channel's next conversations. @returns the last id; null after the last slice */
  async armSlice(workspaceId: string, channelId: string, afterId: string, limit: number): Promise<string | null> {
    const slice = await this.sql.first<{ count: number; lastId: string }>(ARM_SLICE, [
      workspaceId,
      channelId,
      afterId,
      limit,
    ]);
    return slice?.count === limit ? slice.lastId : null;
  }

  async disarm(workspaceId: string, conversationIds: readonly string[]): Promise<void> {
    await this.sql.count(DISARM, [workspaceId, conversationIds]);
  }

  async postpone({ workspaceId, id }: DueRow, dueAt: Date): Promise<void> {
    await this.sql.count(POSTPONE, [workspaceId, id, dueAt]);
  }

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  async isDue({ workspaceId, id }: DueRow, now: Date): Promise<boolean> {
    return (await this.sql.first(IS_DUE, [workspaceId, id, now])) !== undefined;
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

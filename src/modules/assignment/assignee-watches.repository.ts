import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Config } from '../../config/config.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { WatchChange } from './assignment.js';

/** Presence times to live after which `last_seen_at` of a member is certain: it is written once in each. */
const CERTAIN_AFTER = 2.5;

const PUT = statement(`
  INSERT INTO assignee_watch (workspace_id, conversation_id, assigned_at, due_at)
  SELECT $1, id, $3, $3 FROM unnest($2::uuid[]) AS id ORDER BY id
  ON CONFLICT (workspace_id, conversation_id) DO UPDATE
    SET assigned_at = excluded.assigned_at, due_at = excluded.due_at`);
const PUT_OR_KEEP = statement(`
  INSERT INTO assignee_watch (workspace_id, conversation_id, assigned_at, due_at)
  SELECT $1, id, $3, $3 FROM unnest($2::uuid[]) AS id ORDER BY id
  ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET due_at = excluded.due_at`);
const REMOVE = statement('DELETE FROM assignee_watch WHERE workspace_id = $1 AND conversation_id = ANY($2)');
const POSTPONE = statement('UPDATE assignee_watch SET due_at = $3 WHERE workspace_id = $1 AND conversation_id = $2');

/**
 * When the assignee will have been offline for so long. One who has set itself offline is that since then, any other
 * since it was last seen. `$2` is the time in seconds after which that is certain.
 */
const JUDGED = (watches: string): string => `
  SELECT watch.workspace_id, watch.conversation_id, conversation.waiting_since,
    CASE WHEN patience.time IS NULL THEN NULL
      WHEN member.availability = 'offline' THEN greatest(watch.assigned_at, least(member.updated_at, member.last_seen_at)) + patience.time
      ELSE greatest(greatest(watch.assigned_at, member.last_seen_at) + patience.time,
                    member.last_seen_at + make_interval(secs => $2))
    END AS absent_at
  FROM ${watches} AS watch
  JOIN conversation ON conversation.workspace_id = watch.workspace_id AND conversation.id = watch.conversation_id
  JOIN channel ON channel.workspace_id = conversation.workspace_id AND channel.id = conversation.channel_id
  LEFT JOIN member ON member.workspace_id = conversation.workspace_id AND member.id = conversation.assignee_id
  CROSS JOIN LATERAL (
    SELECT make_interval(mins => (channel.routing ->> 'reassign_after_minutes')::int) AS time
  ) AS patience`;
/** Looks at due watches. Those whose assignee is not absent, or whose contact does not wait, are looked at later. */
const LOOK = statement(`
  WITH due AS MATERIALIZED (
    SELECT * FROM assignee_watch
    WHERE due_at <= $1::timestamptz AND workspace_id <> ALL($4::uuid[]) AND conversation_id <> ALL($5::uuid[])
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  ),
  judged AS MATERIALIZED (
    SELECT *, absent_at <= $1 AND waiting_since IS NOT NULL AS absent FROM (${JUDGED('due')}) AS watch
  ),
  postponed AS (
    UPDATE assignee_watch SET due_at = greatest(judged.absent_at, $1::timestamptz + interval '30 seconds')
    FROM judged
    WHERE judged.absent IS NOT TRUE AND assignee_watch.workspace_id = judged.workspace_id
      AND assignee_watch.conversation_id = judged.conversation_id
  )
  SELECT conversation_id AS id, workspace_id AS "workspaceId", absent IS TRUE AS absent FROM judged`);
const IS_ABSENT = statement(`
  SELECT absent_at <= $1 AND waiting_since IS NOT NULL AS absent FROM (${JUDGED('assignee_watch')}
    WHERE watch.workspace_id = $3 AND watch.conversation_id = $4) AS watch`);
const BACKLOG = backlogStatement('due_at', 'assignee_watch WHERE due_at <= $1');

/** Open conversations whose assignee may go offline. Callers that add or remove one have locked the conversation. */
@Injectable()
export class AssigneeWatchesRepository {
  /** Time after which a member who was not seen is certainly offline, in milliseconds. */
  readonly certainAfterMs: number;

  constructor(
    private readonly sql: SqlService,
    private readonly clock: Clock,
    { presenceTtlMs }: Config,
  ) {
    this.certainAfterMs = presenceTtlMs * CERTAIN_AFTER;
  }

  /**
   * @param changes by conversation
   * @param times of assignments that are already watched: begun anew, or kept
   */
  async change(
    workspaceId: string,
    changes: ReadonlyMap<string, WatchChange>,
    times: 'renewTimes' | 'keepTimes' = 'renewTimes',
  ): Promise<void> {
    const ids = (selected: WatchChange) => [...changes].filter(([, change]) => change === selected).map(([id]) => id);
    const [ended, watched] = [ids('none'), ids('watched')];
    if (ended.length > 0) await this.sql.count(REMOVE, [workspaceId, ended]);
    const put = times === 'keepTimes' ? PUT_OR_KEEP : PUT;
    if (watched.length > 0) await this.sql.count(put, [workspaceId, watched, this.clock.now()]);
  }

  /** Looks at one batch of due watches. @returns those whose assignee is absent, and the size of the batch */
  async look({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<{ absent: DueRow[]; count: number }> {
    const values = [now, this.certainAfterMs / 1_000, limit, exceptWorkspaceIds, exceptIds];
    const rows = await this.sql.rows<DueRow & { absent: boolean }>(LOOK, values);
    return { absent: rows.filter(({ absent }) => absent), count: rows.length };
  }

  /** Checks under the conversation's lock that its contact waits and its assignee is absent. */
  async isAbsent(workspaceId: string, conversationId: string, now: Date): Promise<boolean> {
    const values = [now, this.certainAfterMs / 1_000, workspaceId, conversationId];
    return (await this.sql.first<{ absent: boolean }>(IS_ABSENT, values))?.absent ?? false;
  }

  async postpone(workspaceId: string, conversationId: string, to: Date): Promise<void> {
    await this.sql.count(POSTPONE, [workspaceId, conversationId, to]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

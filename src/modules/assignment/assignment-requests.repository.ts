import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { RoutingMode } from '../channels/index.js';
import type { AssignmentRequest, RequestChange } from './assignment.js';

/** Milliseconds for which a conversation with an assignee waits for the decision whether that one keeps it. */
const KEPT_MS = 2_000;
/** Longest waiting conversations of a channel that are sorted exactly. */
const PAGE = 100;

const PUT = statement(`
  INSERT INTO assignment_request
    (workspace_id, conversation_id, channel_id, priority_rank, waiting_since, assignee_id, excluded_member_id)
  SELECT $1, wanted.* FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::timestamptz[], $6::uuid[], $7::uuid[])
    AS wanted (conversation_id, channel_id, priority_rank, waiting_since, assignee_id, excluded_member_id)
  ORDER BY wanted.conversation_id
  ON CONFLICT (workspace_id, conversation_id) DO UPDATE
    SET priority_rank = excluded.priority_rank, waiting_since = excluded.waiting_since,
        assignee_id = excluded.assignee_id,
        excluded_member_id = coalesce(excluded.excluded_member_id, assignment_request.excluded_member_id)`);
const REMOVE = statement('DELETE FROM assignment_request WHERE workspace_id = $1 AND conversation_id = ANY($2)');
const OPEN_CONVERSATIONS = statement(`
  SELECT id FROM conversation
  WHERE workspace_id = $1 AND channel_id = $2 AND status = 'open' AND id > $3 ORDER BY id LIMIT $4`);
const SET_WAITING = statement(`
  UPDATE assignment_request SET waiting_since = $3 WHERE workspace_id = $1 AND conversation_id = $2`);
const FIND = statement(`
  SELECT assignee_id AS "assigneeId", excluded_member_id AS "excludedMemberId",
         requested_at < clock_timestamp() - interval '1 second' AS "isOlderThanSecond"
  FROM assignment_request WHERE workspace_id = $1 AND conversation_id = $2`);
/** Skips rows whose conversation is changing, so that it waits for nobody. */
const EXPIRE_KEPT = statement(`
  DELETE FROM assignment_request WHERE (workspace_id, conversation_id) IN (
    SELECT workspace_id, conversation_id FROM assignment_request
    WHERE assignee_id IS NOT NULL AND requested_at < clock_timestamp() - interval '${KEPT_MS} milliseconds'
    ORDER BY requested_at LIMIT 1000 FOR UPDATE SKIP LOCKED)`);
/** Jumps from workspace to workspace in the index, however many conversations wait in each. */
const WORKSPACES = statement(`
  WITH RECURSIVE waiting (workspace_id, position) AS (
    (SELECT workspace_id, 1 FROM assignment_request WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1)
    UNION ALL
    SELECT next.workspace_id, position + 1
    FROM waiting CROSS JOIN LATERAL (
      SELECT request.workspace_id FROM assignment_request AS request
      WHERE request.workspace_id > waiting.workspace_id ORDER BY request.workspace_id LIMIT 1
    ) AS next
    WHERE position < $2)
  SELECT workspace_id AS id FROM waiting`);
/**
 * Finds the conversation that is assigned next, and the member who gets it. Of each channel it reads the longest
 * waiting ones in the stored order, and sorts them by what messages have changed since.
 */
const NEXT = statement(`
  WITH free AS MATERIALIZED (
    SELECT member.id, member.channel_ids, coalesce(load.open_count, 0) AS open_count
    FROM member LEFT JOIN member_load AS load ON load.workspace_id = member.workspace_id AND load.member_id = member.id
    WHERE member.workspace_id = $1 AND member.id = ANY($2::uuid[]) AND member.status = 'active'
      AND member.availability = 'online' AND coalesce(load.open_count, 0) < member.capacity
  ),
  longest AS MATERIALIZED (
    SELECT request.*, channel.routing ->> 'mode' AS mode
    FROM channel
    CROSS JOIN LATERAL (
      SELECT array_agg(free.id) AS ids FROM free
      WHERE free.channel_ids IS NULL OR channel.id = ANY(free.channel_ids)
    ) AS serving
    CROSS JOIN LATERAL (
      SELECT * FROM assignment_request AS request
      WHERE request.workspace_id = $1 AND request.channel_id = channel.id AND request.conversation_id <> ALL($3::uuid[])
        AND EXISTS (SELECT FROM unnest(serving.ids) AS id
                    WHERE id IS DISTINCT FROM excluded_member_id AND id IS DISTINCT FROM assignee_id)
      ORDER BY request.priority_rank, request.waiting_since, request.conversation_id LIMIT ${PAGE}
    ) AS request
    WHERE channel.workspace_id = $1 AND channel.deleted_at IS NULL AND channel.routing ->> 'mode' <> 'manual'
      AND serving.ids IS NOT NULL
  ),
  next AS (
    SELECT longest.* FROM longest
    JOIN conversation ON conversation.workspace_id = $1 AND conversation.id = longest.conversation_id
    ORDER BY longest.priority_rank, conversation.waiting_since, longest.conversation_id LIMIT 1
  )
  SELECT next.conversation_id AS "conversationId", next.mode, chosen.id AS "memberId",
         chosen.open_count AS "openCount", chosen.assigned_at AS "lastTurnAt"
  FROM next CROSS JOIN LATERAL (
    SELECT free.id, free.open_count, turn.assigned_at
    FROM free LEFT JOIN assignment_turn AS turn
      ON turn.workspace_id = $1 AND turn.channel_id = next.channel_id AND turn.member_id = free.id
    WHERE (free.channel_ids IS NULL OR next.channel_id = ANY(free.channel_ids))
      AND free.id IS DISTINCT FROM next.excluded_member_id AND free.id IS DISTINCT FROM next.assignee_id
    ORDER BY CASE WHEN next.mode = 'least_loaded' THEN free.open_count ELSE 0 END,
             turn.assigned_at NULLS FIRST, free.id
    LIMIT 1
  ) AS chosen`);
const BACKLOG = backlogStatement('requested_at', 'assignment_request');

/** The conversation that is assigned next, and the state in which its member was chosen. */
export interface NextAssignment {
  conversationId: string;
  mode: Exclude<RoutingMode, 'manual'>;
  memberId: string;
  openCount: number;
  /** When the member last got a conversation of the channel. */
  lastTurnAt: Date | null;
}

export type StoredRequest = Pick<AssignmentRequest, 'assigneeId' | 'excludedMemberId'> & { isOlderThanSecond: boolean };

/** Conversations that wait for an assignee. Callers that write one have locked the conversation. */
@Injectable()
export class AssignmentRequestsRepository {
  constructor(private readonly sql: SqlService) {}

  /** @param changes by conversation */
  async change(workspaceId: string, changes: ReadonlyMap<string, RequestChange>): Promise<void> {
    const ended = [...changes].filter(([, change]) => change === 'none').map(([id]) => id);
    await this.remove(workspaceId, ended);
    await this.put(
      workspaceId,
      [...changes.values()].filter(change => typeof change === 'object'),
    );
  }

  async remove(workspaceId: string, conversationIds: readonly string[]): Promise<void> {
    if (conversationIds.length > 0) await this.sql.count(REMOVE, [workspaceId, conversationIds]);
  }

  async setWaitingSince(workspaceId: string, conversationId: string, at: Date | null): Promise<void> {
    await this.sql.count(SET_WAITING, [workspaceId, conversationId, at]);
  }

  find(workspaceId: string, conversationId: string): Promise<StoredRequest | undefined> {
    return this.sql.first<StoredRequest>(FIND, [workspaceId, conversationId]);
  }

  /** The channel's next open conversations, in the order of their ids. */
  async findOpenConversations(
    workspaceId: string,
    channelId: string,
    afterId: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.sql.rows<{ id: string }>(OPEN_CONVERSATIONS, [workspaceId, channelId, afterId, limit]);
    return rows.map(({ id }) => id);
  }

  /** Leaves conversations with their assignee if nobody else was free. */
  async expireKept(): Promise<void> {
    await this.sql.count(EXPIRE_KEPT);
  }

  /** Workspaces in which conversations wait, in the order of their ids. */
  async findWorkspaces(afterId: string, limit: number): Promise<string[]> {
    return (await this.sql.rows<{ id: string }>(WORKSPACES, [afterId, limit])).map(({ id }) => id);
  }

  /** @param connectedIds the members who are connected @param exceptIds conversations to leave out */
  findNext(
    workspaceId: string,
    connectedIds: readonly string[],
    exceptIds: readonly string[],
  ): Promise<NextAssignment | undefined> {
    return this.sql.first<NextAssignment>(NEXT, [workspaceId, connectedIds, exceptIds]);
  }

  measure(): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, []);
  }

  private async put(workspaceId: string, requests: readonly AssignmentRequest[]): Promise<void> {
    if (requests.length === 0) return;
    const column = <K extends keyof AssignmentRequest>(key: K) => requests.map(request => request[key]);
    await this.sql.count(PUT, [
      workspaceId,
      column('conversationId'),
      column('channelId'),
      column('priorityRank'),
      column('waitingSince'),
      column('assigneeId'),
      column('excludedMemberId'),
    ]);
  }
}

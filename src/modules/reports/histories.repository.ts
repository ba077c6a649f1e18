import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { COUNTED_FROM } from './facts.repository.js';

/** A conversation as the tables tell of it, before the time from which the log is counted. */
export interface History {
  workspaceId: string;
  id: string;
  channelId: string;
  tagIds: string[];
  createdAt: Date;
  /** True if it was created before that time. */
  counts: boolean;
  isResolved: boolean;
  /** The member who answers for the resolve that it is in. */
  accountableId: string | null;
  resolvedByBot: boolean;
  entries: HistoryEntry[];
  response: { at: string; askedAt: string; memberId: string } | null;
  /** null also if it is counted already. */
  rating: { score: number; at: string; memberId: string | null } | null;
}

/** A timeline entry. */
export interface HistoryEntry {
  id: string;
  seq: number;
  at: string;
  event: string;
  /** The assignee after it, as private entries tell; undefined for others. */
  assigneeId?: string | null;
}

const FIND = statement(`
  SELECT workspace_id AS "workspaceId", id, channel_id AS "channelId", tag_ids AS "tagIds", created_at AS "createdAt",
    created_at < ${COUNTED_FROM} AS counts, status = 'resolved' AS "isResolved",
    coalesce(CASE WHEN before_resolve IS NULL THEN assignee_id ELSE (before_resolve ->> 'assignee_id')::uuid END,
             CASE resolved_by ->> 'type' WHEN 'member' THEN (resolved_by ->> 'id')::uuid END) AS "accountableId",
    coalesce(resolved_by ->> 'type' = 'bot', false) AS "resolvedByBot",
    (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('id', entry.id, 'seq', entry.seq, 'at', entry.created_at,
         'event', entry.metadata ->> 'event'))::jsonb || CASE WHEN entry.metadata ? 'assignee_id'
           THEN jsonb_build_object('assigneeId', entry.metadata -> 'assignee_id') ELSE '{}' END ORDER BY entry.seq), '[]')
     FROM message AS entry
     WHERE entry.workspace_id = conversation.workspace_id AND entry.conversation_id = conversation.id
       AND entry.content_type = 'event' AND entry.deleted_at IS NULL AND entry.created_at < ${COUNTED_FROM}) AS entries,
    CASE WHEN first_response_at < ${COUNTED_FROM} THEN (
      SELECT json_build_object('at', answer.created_at, 'memberId', answer.sender_id, 'askedAt', coalesce(
        (SELECT asked_at FROM first_response
         WHERE first_response.workspace_id = conversation.workspace_id AND conversation_id = conversation.id),
        (SELECT question.created_at FROM message AS question
         WHERE question.workspace_id = conversation.workspace_id AND question.conversation_id = conversation.id
           AND question.sender_type = 'contact' AND NOT question.private ORDER BY question.seq LIMIT 1)))
      FROM message AS answer
      WHERE answer.workspace_id = conversation.workspace_id AND answer.conversation_id = conversation.id
        AND answer.created_at = first_response_at AND answer.sender_type = 'agent' AND NOT answer.private
      ORDER BY answer.seq LIMIT 1) END AS response,
    CASE WHEN NOT EXISTS (
      SELECT FROM report_outcome
      WHERE report_outcome.workspace_id = conversation.workspace_id AND conversation_id = conversation.id
        AND kind = 'rated'
    ) THEN (SELECT json_build_object('score', csat -> 'score', 'at', csat -> 'rated_at', 'memberId', csat_member_id)
            WHERE csat IS NOT NULL) END AS rating
  FROM conversation
  WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT $3`);

/** Reads the acts of earlier conversations from the tables. */
@Injectable()
export class HistoriesRepository {
  constructor(private readonly sql: SqlService) {}

  /** The next conversations of a workspace, in the order of their ids. */
  findAfter(workspaceId: string, afterId: string, limit: number): Promise<History[]> {
    return this.sql.rows<History>(FIND, [workspaceId, afterId, limit]);
  }
}

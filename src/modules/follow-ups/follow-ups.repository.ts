import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';

/**
 * Condition on events: an agent's public answer in a channel with follow-ups. The list of such channels is read once per
 * query, and CASE lets PostgreSQL look into the payload of no other message.
 */
export const ANSWERS_TO_FOLLOW_UP = `
  CASE WHEN (event.workspace_id, event.channel_id) IN (
    SELECT workspace_id, id FROM channel WHERE followup_email_minutes IS NOT NULL
  ) THEN payload #>> '{message,sender_type}' = 'agent' AND payload #>> '{message,private}' = 'false'
    AND payload #>> '{message,content_type}' <> 'event' ELSE false END`;
/** Leaves a time that is set: the first unread answer decides. */
const ARM = statement(`
  INSERT INTO follow_up (workspace_id, conversation_id, due_at)
  SELECT answer.workspace_id, answer.conversation_id,
         min(answer.sent_at) + min(channel.followup_email_minutes) * interval '1 minute'
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
    AS answer (workspace_id, channel_id, conversation_id, sent_at)
  JOIN channel ON channel.workspace_id = answer.workspace_id AND channel.id = answer.channel_id
    AND channel.followup_email_minutes IS NOT NULL
  GROUP BY answer.workspace_id, answer.conversation_id
  ORDER BY answer.conversation_id
  ON CONFLICT (workspace_id, conversation_id) DO UPDATE SET due_at = excluded.due_at WHERE follow_up.due_at IS NULL`);
const DUE = statement(`
  SELECT conversation_id AS id, workspace_id AS "workspaceId" FROM follow_up
  WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND conversation_id <> ALL($4::uuid[])
  ORDER BY due_at LIMIT $2`);
const LOCK = statement(`
  SELECT due_at AS "dueAt", mailed_seq AS "mailedSeq" FROM follow_up
  WHERE workspace_id = $1 AND conversation_id = $2 FOR UPDATE SKIP LOCKED`);
const SAVE = statement(`
  UPDATE follow_up SET due_at = $3, mailed_seq = greatest(mailed_seq, $4)
  WHERE workspace_id = $1 AND conversation_id = $2`);
const BACKLOG = backlogStatement('due_at', 'follow_up WHERE due_at <= $1');

/** An answer that the contact may not read in time. */
export interface SentAnswer {
  workspaceId: string;
  channelId: string;
  conversationId: string;
  sentAt: Date;
}

export interface FollowUpState {
  dueAt: Date | null;
  mailedSeq: number;
}

@Injectable()
export class FollowUpsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Sets the time at which each conversation is looked at, unless it is set. */
  async arm(answers: readonly SentAnswer[]): Promise<void> {
    const column = <K extends keyof SentAnswer>(key: K) => answers.map(answer => answer[key]);
    await this.sql.count(ARM, [column('workspaceId'), column('channelId'), column('conversationId'), column('sentAt')]);
  }

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  /** @returns undefined while another transaction has locked it */
  tryLock({ workspaceId, id }: DueRow): Promise<FollowUpState | undefined> {
    return this.sql.first<FollowUpState>(LOCK, [workspaceId, id]);
  }

  async save({ workspaceId, id }: DueRow, { dueAt, mailedSeq }: FollowUpState): Promise<void> {
    await this.sql.count(SAVE, [workspaceId, id, dueAt, mailedSeq]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

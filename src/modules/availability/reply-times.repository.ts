import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';

/** Newest answers of a channel that count. More would not change a typical value. */
const MAX_ANSWERS = 500;

/**
 * Adds an answer, and the channel's reply time if it has none. An existing one is not locked: concurrent answers of a
 * channel do not wait for each other.
 */
const ADD = statement(`
  WITH answered AS (
    INSERT INTO first_response (workspace_id, conversation_id, channel_id, asked_at, answered_at)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
  )
  INSERT INTO reply_time (workspace_id, channel_id, due_at) VALUES ($1, $3, $6) ON CONFLICT DO NOTHING`);
const ANSWERS = statement(`
  SELECT asked_at AS "askedAt", answered_at AS "answeredAt" FROM first_response
  WHERE workspace_id = $1 AND channel_id = $2 AND answered_at > $3
  ORDER BY first_response.answered_at DESC LIMIT ${MAX_ANSWERS}`);
const SECONDS = statement('SELECT seconds FROM reply_time WHERE workspace_id = $1 AND channel_id = $2');
const SAVE = statement(`
  UPDATE reply_time SET seconds = $3, due_at = $4 WHERE workspace_id = $1 AND channel_id = $2`);
const REMOVE = statement('DELETE FROM reply_time WHERE workspace_id = $1 AND channel_id = $2');
const DUE = statement(`
  SELECT channel_id AS id, workspace_id AS "workspaceId" FROM reply_time
  WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND channel_id <> ALL($4::uuid[])
  ORDER BY due_at LIMIT $2`);
const BACKLOG = backlogStatement('due_at', 'reply_time WHERE due_at <= $1');
const DELETE_OLD = statement(`
  DELETE FROM first_response WHERE (workspace_id, conversation_id) IN (
    SELECT workspace_id, conversation_id FROM first_response WHERE answered_at < $1 LIMIT $2
  )`);

/** How long a contact waited for the first answer of a person. */
export interface FirstResponse {
  askedAt: Date;
  answeredAt: Date;
}

export interface ChannelKey {
  workspaceId: string;
  channelId: string;
}

/** Stores first answers, and the reply time of each channel. */
@Injectable()
export class ReplyTimesRepository {
  constructor(private readonly sql: SqlService) {}

  async add(
    { workspaceId, channelId }: ChannelKey,
    conversationId: string,
    { askedAt, answeredAt }: FirstResponse,
    dueAt: Date,
  ): Promise<void> {
    await this.sql.count(ADD, [workspaceId, conversationId, channelId, askedAt, answeredAt, dueAt]);
  }

  findAnswers({ workspaceId, channelId }: ChannelKey, since: Date): Promise<FirstResponse[]> {
    return this.sql.rows<FirstResponse>(ANSWERS, [workspaceId, channelId, since]);
  }

  async findSeconds({ workspaceId, channelId }: ChannelKey): Promise<number | null> {
    return (await this.sql.first<{ seconds: number | null }>(SECONDS, [workspaceId, channelId]))?.seconds ?? null;
  }

  async save({ workspaceId, channelId }: ChannelKey, seconds: number | null, dueAt: Date): Promise<void> {
    await this.sql.count(SAVE, [workspaceId, channelId, seconds, dueAt]);
  }

  async remove({ workspaceId, channelId }: ChannelKey): Promise<void> {
    await this.sql.count(REMOVE, [workspaceId, channelId]);
  }

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }

  /** @returns the number of deleted answers */
  deleteOlderThan(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }
}

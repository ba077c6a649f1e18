import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import { tagFacet } from './facets.js';

const DUE = statement(`
  SELECT id, workspace_id AS "workspaceId" FROM tag
  WHERE removed_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
  ORDER BY removed_at LIMIT $2`);
const BACKLOG = backlogStatement('removed_at', 'tag WHERE removed_at <= $1');
const LOCK = statement(`
  SELECT merged_into AS target FROM tag
  WHERE workspace_id = $1 AND id = $2 AND removed_at IS NOT NULL FOR UPDATE SKIP LOCKED`);
const CONVERSATIONS = statement(`
  SELECT id, channel_id AS "channelId", status, tag_ids AS "tagIds", last_activity_at AS "lastActivityAt" FROM conversation
  WHERE workspace_id = $1 AND id = ANY(ARRAY(
    SELECT conversation_id FROM conversation_facet WHERE workspace_id = $1 AND facet = $2
    ORDER BY conversation_id LIMIT $3))
  ORDER BY id FOR NO KEY UPDATE`);
const WRITE = statement(`
  UPDATE conversation SET tag_ids = ARRAY(SELECT json_array_elements_text(written.tags)::uuid)
  FROM json_to_recordset($2) AS written (id uuid, tags json)
  WHERE workspace_id = $1 AND conversation.id = written.id`);
const DELETE_COUNTS = statement('DELETE FROM tag_tally WHERE workspace_id = $1 AND tag_id = $2');
const DELETE = statement('DELETE FROM tag WHERE workspace_id = $1 AND id = $2');

/** The columns of a conversation that a removed tag concerns. */
export interface TaggedConversation {
  id: string;
  channelId: string;
  status: 'pending' | 'open' | 'snoozed' | 'resolved';
  tagIds: string[];
  lastActivityAt: Date;
}

/** Tags that were merged or deleted, and the conversations that still refer to them. */
@Injectable()
export class TagRemovalsRepository {
  constructor(private readonly sql: SqlService) {}

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }

  /** @returns the tag that replaces it, if any; undefined if the tag is locked or gone */
  lock({ workspaceId, id }: DueRow): Promise<{ target: string | null } | undefined> {
    return this.sql.first(LOCK, [workspaceId, id]);
  }

  /** Locks some of the tag's conversations, in the order of their ids. */
  lockConversations({ workspaceId, id }: DueRow, limit: number): Promise<TaggedConversation[]> {
    return this.sql.rows<TaggedConversation>(CONVERSATIONS, [workspaceId, tagFacet(id), limit]);
  }

  /** Writes the tags only: `version` and `updated_at` stay, because what is shown does not change. */
  async writeTags(workspaceId: string, conversations: readonly TaggedConversation[]): Promise<void> {
    const written = conversations.map(({ id, tagIds }) => ({ id, tags: tagIds }));
    await this.sql.count(WRITE, [workspaceId, JSON.stringify(written)]);
  }

  async delete({ workspaceId, id }: DueRow): Promise<void> {
    await this.sql.count(DELETE_COUNTS, [workspaceId, id]);
    await this.sql.count(DELETE, [workspaceId, id]);
  }
}

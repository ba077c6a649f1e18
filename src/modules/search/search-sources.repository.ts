import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { EventRange } from '../../platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../platform/events/reading-position.repository.js';
import type { SearchedType, SearchSource } from './search-document.js';

/** Texts up to this size are never postponed: 2,000 of them take about half a second. */
const LONG_BYTES = 500;
/** Text of one workspace in one unit of work of the consumer. Ten of the longest messages take 60 to 200 ms. */
const WORKSPACE_BYTES = 200_000;
/** Text of all workspaces in one unit. */
const UNIT_BYTES = 400_000;
/** Longer texts count as this, because the index stores a limited number of terms of each. */
const COUNTED_BYTES = 20_000;

/** The searchable texts of each type. The view of a hit has the same (`found-items.ts`). */
const MESSAGE_TEXTS = `CASE WHEN message.content_type <> 'event' AND message.deleted_at IS NULL THEN ARRAY[message.content] ELSE '{}' END`;
const CONVERSATION_TEXTS = `CASE WHEN conversation.erased_at IS NULL THEN
  ARRAY[conversation.number::text, conversation.subject] || ARRAY(
    SELECT answer.value #>> '{}' FROM jsonb_each(coalesce(conversation.pre_chat, '{}')) AS answer
    WHERE jsonb_typeof(answer.value) = 'string')
  ELSE '{}' END`;
const CONTACT_TEXTS = `CASE WHEN contact.ended_at IS NULL THEN ARRAY[contact.name, contact.email, contact.phone] ELSE '{}' END`;

const columns = (type: SearchedType, channel: string, texts: string): string => `
  '${type}' AS type, ${type}.workspace_id AS "workspaceId", ${type}.id, ${channel} AS "channelId",
  ${type}.created_at AS "createdAt", array_remove(${texts}, NULL) AS texts,
  (SELECT segment_id FROM search_document WHERE (workspace_id, id) = (${type}.workspace_id, ${type}.id)) AS "segmentId"`;

/** Reads the things that a table of the query lists, as they are now. */
const thingsOf = (table: string): string => `
  SELECT ${columns('message', `${table}.channel_id`, MESSAGE_TEXTS)}
  FROM ${table} JOIN message USING (workspace_id, id) WHERE ${table}.type = 'message'
  UNION ALL
  SELECT ${columns('conversation', 'conversation.channel_id', CONVERSATION_TEXTS)}
  FROM ${table} JOIN conversation USING (workspace_id, id) WHERE ${table}.type = 'conversation'
  UNION ALL
  SELECT ${columns('contact', 'NULL::uuid', CONTACT_TEXTS)}
  FROM ${table} JOIN contact USING (workspace_id, id) WHERE ${table}.type = 'contact'`;

/**
 * The things that events of a range changed. A later change has an event of its own. Long texts beyond a workspace's
 * share of a unit, or of all workspaces together, are postponed.
 */
const CHANGED = statement(`
  WITH named AS MATERIALIZED (
    SELECT workspace_id, split_part(type, '.', 1) AS type,
           CASE split_part(type, '.', 1)
             WHEN 'message' THEN (payload #>> '{message,id}')::uuid
             WHEN 'conversation' THEN conversation_id
             ELSE contact_id END AS id,
           CASE split_part(type, '.', 1) WHEN 'message' THEN channel_id END AS channel_id,
           octet_length(payload #>> CASE type
             WHEN 'conversation.created' THEN '{conversation,pre_chat}'::text[]
             WHEN 'conversation.updated' THEN '{changes,pre_chat}'
             ELSE '{message,content}' END) AS bytes
    FROM event
    WHERE ${IS_IN_RANGE} AND type = ANY($6) AND CASE type
      WHEN 'message.created' THEN payload #>> '{message,content}' IS NOT NULL
      WHEN 'conversation.updated' THEN payload -> 'changes' ?| ARRAY['subject', 'pre_chat']
      ELSE true END
  ), changed AS (
    SELECT workspace_id, type, id, channel_id, least(coalesce(max(bytes), 0), $10) AS bytes FROM named
    GROUP BY workspace_id, type, id, channel_id
  ), shared AS (
    SELECT *, bytes > $7 AND sum(bytes) OVER (PARTITION BY workspace_id ORDER BY id) > $8 AS is_beyond FROM changed
  ), measured AS MATERIALIZED (
    SELECT *, is_beyond OR bytes > $7 AND sum(bytes) FILTER (WHERE NOT is_beyond) OVER (ORDER BY id) > $9 AS is_postponed
    FROM shared
  ), postponed AS (
    INSERT INTO search_postponed (workspace_id, id, type, channel_id, postponed_at)
    SELECT workspace_id, id, type, channel_id, clock_timestamp() FROM measured WHERE is_postponed
    ON CONFLICT (workspace_id, id) DO NOTHING
  ), included AS (
    SELECT * FROM measured WHERE NOT is_postponed
  )
  ${thingsOf('included')}
  UNION ALL
  SELECT type, workspace_id, id, channel_id, NULL, NULL, NULL FROM measured WHERE is_postponed`);

/** The postponed things of a workspace that wait longest. */
const TAKE_POSTPONED = statement(`
  WITH taken AS (
    DELETE FROM search_postponed WHERE workspace_id = $1 AND id IN (
      SELECT id FROM search_postponed WHERE workspace_id = $1 ORDER BY id LIMIT $2
    ) RETURNING workspace_id, id, type, channel_id
  )
  ${thingsOf('taken')}`);

/** Things with lower ids, from the highest id down. */
const BEFORE: Record<SearchedType, ReturnType<typeof statement>> = {
  message: statement(`
    SELECT ${columns('message', 'conversation.channel_id', MESSAGE_TEXTS)}
    FROM (
      SELECT * FROM message WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
    ) AS message JOIN conversation
      ON conversation.workspace_id = message.workspace_id AND conversation.id = message.conversation_id
    ORDER BY message.id DESC`),
  conversation: statement(`
    SELECT ${columns('conversation', 'conversation.channel_id', CONVERSATION_TEXTS)}
    FROM conversation WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`),
  contact: statement(`
    SELECT ${columns('contact', 'NULL::uuid', CONTACT_TEXTS)}
    FROM contact WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`),
};

/** A thing whose text was not read. */
interface Postponed {
  texts: null;
}

/** Reads the texts of messages, conversations and contacts for the index. The caller has locked it. */
@Injectable()
export class SearchSourcesRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * Finds what events of these types changed, and postpones long texts of workspaces that have many of them.
   * @returns what was found, and whether anything was postponed
   */
  async findChanged(range: EventRange, types: readonly string[]): Promise<[SearchSource[], boolean]> {
    const values = [...rangeValues(range), types, LONG_BYTES, WORKSPACE_BYTES, UNIT_BYTES, COUNTED_BYTES];
    const changed = await this.sql.rows<SearchSource | Postponed>(CHANGED, values);
    const found = changed.filter((thing): thing is SearchSource => thing.texts !== null);
    return [found, found.length < changed.length];
  }

  /** Finds things of a workspace that were postponed, at most `limit`, and removes them from the list of those. */
  takePostponed(workspaceId: string, limit: number): Promise<SearchSource[]> {
    return this.sql.rows<SearchSource>(TAKE_POSTPONED, [workspaceId, limit]);
  }

  findBefore(workspaceId: string, type: SearchedType, beforeId: string, limit: number): Promise<SearchSource[]> {
    return this.sql.rows<SearchSource>(BEFORE[type], [workspaceId, beforeId, limit]);
  }
}

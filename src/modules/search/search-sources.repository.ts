import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { EventRange, ReadingPosition } from '../../platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../platform/events/reading-position.repository.js';
import type { SearchedType, SearchSource } from './search-document.js';
import { MAX_CHARACTERS } from './search-document.js';

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

/** The things that events of a range changed, as they are now. A later change has an event of its own. */
const CHANGED = statement(`
  WITH changed AS MATERIALIZED (
    SELECT DISTINCT workspace_id, split_part(type, '.', 1) AS type,
           CASE split_part(type, '.', 1)
             WHEN 'message' THEN (payload #>> '{message,id}')::uuid
             WHEN 'conversation' THEN conversation_id
             ELSE contact_id END AS id,
           CASE split_part(type, '.', 1) WHEN 'message' THEN channel_id END AS channel_id
    FROM event
    WHERE ${IS_IN_RANGE} AND type = ANY($6) AND CASE type
      WHEN 'message.created' THEN payload #>> '{message,content}' IS NOT NULL
      WHEN 'conversation.updated' THEN payload -> 'changes' ?| ARRAY['subject', 'pre_chat']
      ELSE true END
  )
  SELECT ${columns('message', 'changed.channel_id', MESSAGE_TEXTS)}
  FROM changed JOIN message USING (workspace_id, id) WHERE changed.type = 'message'
  UNION ALL
  SELECT ${columns('conversation', 'conversation.channel_id', CONVERSATION_TEXTS)}
  FROM changed JOIN conversation USING (workspace_id, id) WHERE changed.type = 'conversation'
  UNION ALL
  SELECT ${columns('contact', 'NULL::uuid', CONTACT_TEXTS)}
  FROM changed JOIN contact USING (workspace_id, id) WHERE changed.type = 'contact'`);

/** The event of a range at which the contents of its messages have `$6` characters together. */
const END = statement(`
  SELECT position::text AS position FROM (
    SELECT position, sum(length(payload #>> '{message,content}')) OVER (ORDER BY position) AS characters
    FROM event WHERE ${IS_IN_RANGE} AND type IN ('message.created', 'message.updated')
  ) AS contents WHERE characters >= $6 ORDER BY contents.position LIMIT 1`);

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

/** Reads the texts of messages, conversations and contacts for the index. The caller has locked it. */
@Injectable()
export class SearchSourcesRepository {
  constructor(private readonly sql: SqlService) {}

  findChanged(range: EventRange, types: readonly string[]): Promise<SearchSource[]> {
    return this.sql.rows<SearchSource>(CHANGED, [...rangeValues(range), types]);
  }

  /** Finds where to cut a range that has more text than one unit of work should write. */
  async findEnd(range: ReadingPosition): Promise<string | null> {
    const values = [...rangeValues({ ...range, end: null }), MAX_CHARACTERS];
    return (await this.sql.first<{ position: string }>(END, values))?.position ?? null;
  }

  findBefore(workspaceId: string, type: SearchedType, beforeId: string, limit: number): Promise<SearchSource[]> {
    return this.sql.rows<SearchSource>(BEFORE[type], [workspaceId, beforeId, limit]);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { ConversationKey } from './outcomes.repository.js';

/** When the conversation was last opened before a timeline entry; looks for an entry only if it was ever reopened. */
const FIND = statement(`
  SELECT coalesce(CASE WHEN reopened_count > 0 THEN (
    SELECT created_at FROM message
    WHERE message.workspace_id = conversation.workspace_id AND message.conversation_id = conversation.id
      AND message.seq < entry.seq AND content_type = 'event' AND metadata ->> 'event' = 'reopened'
    ORDER BY message.seq DESC LIMIT 1) END, created_at) AS at
  FROM unnest($1::uuid[], $2::uuid[], $3::int[]) WITH ORDINALITY AS entry (workspace_id, conversation_id, seq, place)
  JOIN conversation ON conversation.workspace_id = entry.workspace_id AND conversation.id = entry.conversation_id
  ORDER BY place`);

/** A timeline entry. */
export interface EntryKey extends ConversationKey {
  messageId: string;
  seq: number;
}

/** Finds when conversations were opened: created or reopened. */
@Injectable()
export class OpeningsRepository {
  constructor(private readonly sql: SqlService) {}

  /** @returns by id of the entry, when its conversation was last opened before it */
  async findBefore(entries: readonly EntryKey[]): Promise<Map<string, Date>> {
    if (entries.length === 0) return new Map();
    const rows = await this.sql.rows<{ at: Date }>(FIND, [
      entries.map(({ workspaceId }) => workspaceId),
      entries.map(({ conversationId }) => conversationId),
      entries.map(({ seq }) => seq),
    ]);
    return new Map(rows.map(({ at }, index) => [entries[index]?.messageId ?? '', at]));
  }
}

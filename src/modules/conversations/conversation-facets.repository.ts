import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Conversation } from './conversation.js';
import { facetsOf, UNREAD } from './facets.js';

const ADD = statement(`
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id)
  SELECT $1, facet, id FROM unnest($2::text[], $3::uuid[]) AS added (facet, id) ON CONFLICT DO NOTHING`);
const REMOVE = statement(`
  DELETE FROM conversation_facet USING unnest($2::text[], $3::uuid[]) AS removed (facet, id)
  WHERE workspace_id = $1 AND conversation_facet.facet = removed.facet AND conversation_id = removed.id`);
/** Compares with the rows as they are now: a later change has an event of its own. */
const SET_UNREAD = statement(`
  WITH current AS MATERIALIZED (
    SELECT conversation.workspace_id, conversation.id, unread_agents > 0 AS unread
    FROM unnest($1::uuid[], $2::uuid[]) AS changed (workspace_id, id) JOIN conversation USING (workspace_id, id)
  ), read AS (
    DELETE FROM conversation_facet USING current
    WHERE conversation_facet.workspace_id = current.workspace_id AND facet = '${UNREAD}' AND conversation_id = current.id
      AND NOT current.unread
  )
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id)
  SELECT workspace_id, '${UNREAD}', id FROM current WHERE unread ON CONFLICT DO NOTHING`);

type FacetSource = Pick<Conversation, 'id' | 'priority' | 'csat' | 'tagIds'>;

/** Writes the properties by which the inbox finds conversations. */
@Injectable()
export class ConversationFacetsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Moves the facets of conversations that the caller has locked. */
  async move(workspaceId: string, changes: readonly { from: FacetSource | null; to: FacetSource }[]): Promise<void> {
    const [added, removed]: [facet: string, id: string][][] = [[], []];
    for (const { from, to } of changes) {
      const [before, after] = [from ? facetsOf(from) : [], facetsOf(to)];
      added?.push(...after.filter(facet => !before.includes(facet)).map((facet): [string, string] => [facet, to.id]));
      removed?.push(...before.filter(facet => !after.includes(facet)).map((facet): [string, string] => [facet, to.id]));
    }
    for (const [write, rows] of [
      [REMOVE, removed ?? []],
      [ADD, added ?? []],
    ] as const) {
      if (rows.length === 0) continue;
      await this.sql.count(write, [workspaceId, rows.map(([facet]) => facet), rows.map(([, id]) => id)]);
    }
  }

  /** Writes which of the conversations have messages that no agent has read. */
  async setUnread(conversations: readonly { workspaceId: string; id: string }[]): Promise<void> {
    if (conversations.length === 0) return;
    await this.sql.count(SET_UNREAD, [
      conversations.map(({ workspaceId }) => workspaceId),
      conversations.map(({ id }) => id),
    ]);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { EventRange } from '../../platform/events/reading-position.repository.js';
import { IS_IN_RANGE, rangeValues } from '../../platform/events/reading-position.repository.js';
import type { Conversation } from './conversation.js';
import { facetsOf, UNREAD } from './facets.js';

const ADD = statement(`
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
  SELECT $1, facet, id, active_at FROM unnest($2::text[], $3::uuid[], $4::timestamptz[]) AS added (facet, id, active_at)
  ON CONFLICT DO NOTHING`);
const REMOVE = statement(`
  DELETE FROM conversation_facet USING unnest($2::text[], $3::uuid[]) AS removed (facet, id)
  WHERE workspace_id = $1 AND conversation_facet.facet = removed.facet AND conversation_id = removed.id`);
const COUNT = statement(`
  SELECT count(*)::int AS count FROM (
    SELECT FROM conversation_facet WHERE workspace_id = $1 AND facet = ANY($2) LIMIT $3
  ) AS listed`);

/**
 * Writes the facet `unread` of changed conversations. It compares with their rows as they are now: a later change has an
 * event of its own.
 */
const writeUnread = (changed: string, more = ''): string => `
  WITH current AS MATERIALIZED (
    SELECT conversation.workspace_id, conversation.id, last_activity_at, unread_agents > 0 AS unread
    FROM (${changed}) AS changed JOIN conversation USING (workspace_id, id)
  ), read AS (
    DELETE FROM conversation_facet USING current
    WHERE conversation_facet.workspace_id = current.workspace_id AND facet = '${UNREAD}' AND conversation_id = current.id
      AND NOT current.unread
  )${more}
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
  SELECT workspace_id, '${UNREAD}', id, last_activity_at FROM current WHERE unread ON CONFLICT DO NOTHING`;
const SET_UNREAD = statement(writeUnread('SELECT $1::uuid AS workspace_id, id FROM unnest($2::uuid[]) AS id'));
/** Skips locked facets: they are being removed, and an added one has the latest time. */
const FOLLOW = statement(
  writeUnread(
    `SELECT DISTINCT workspace_id, conversation_id AS id FROM event
     WHERE ${IS_IN_RANGE} AND type = ANY($6) AND conversation_id IS NOT NULL`,
    `, late AS (
      SELECT listed.workspace_id, listed.facet, listed.conversation_id, current.last_activity_at
      FROM current JOIN conversation_facet AS listed
        ON listed.workspace_id = current.workspace_id AND listed.conversation_id = current.id
      WHERE listed.active_at <> current.last_activity_at AND (listed.facet <> '${UNREAD}' OR current.unread)
      FOR UPDATE OF listed SKIP LOCKED
    ), moved AS (
      UPDATE conversation_facet SET active_at = late.last_activity_at FROM late
      WHERE conversation_facet.workspace_id = late.workspace_id AND conversation_facet.facet = late.facet
        AND conversation_facet.conversation_id = late.conversation_id
    )`,
  ),
);
/** Held by each transaction that follows the log or adds facets without the conversation's lock: they take turns. */
const LOCK_ORDER = statement(`SELECT pg_advisory_xact_lock(hashtextextended('conversation_facet', 0))`);

export type FacetSource = Pick<Conversation, 'id' | 'priority' | 'csat' | 'tagIds' | 'lastActivityAt'>;

/** Writes the properties by which the inbox finds conversations. */
@Injectable()
export class ConversationFacetsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Moves the facets of conversations that the caller has locked. */
  async move(workspaceId: string, changes: readonly { from: FacetSource | null; to: FacetSource }[]): Promise<void> {
    const added: { facet: string; id: string; activeAt: Date }[] = [];
    const removed: { facet: string; id: string }[] = [];
    for (const { from, to } of changes) {
      const { id, lastActivityAt: activeAt } = to;
      const [before, after] = [from ? facetsOf(from) : [], facetsOf(to)];
      added.push(...after.filter(facet => !before.includes(facet)).map(facet => ({ facet, id, activeAt })));
      removed.push(...before.filter(facet => !after.includes(facet)).map(facet => ({ facet, id })));
    }
    const keysOf = (rows: readonly { facet: string; id: string }[]) => [
      workspaceId,
      rows.map(({ facet }) => facet),
      rows.map(({ id }) => id),
    ];
    if (removed.length > 0) await this.sql.count(REMOVE, keysOf(removed));
    if (added.length > 0) await this.sql.count(ADD, [...keysOf(added), added.map(({ activeAt }) => activeAt)]);
  }

  /** Counts the conversations with one of the facets; counting stops at `limit`. */
  async count(workspaceId: string, facets: readonly string[], limit: number): Promise<number> {
    return (await this.sql.first<{ count: number }>(COUNT, [workspaceId, facets, limit]))?.count ?? 0;
  }

  /** Writes which of the conversations have messages that no agent has read. */
  async setUnread(workspaceId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.sql.count(SET_UNREAD, [workspaceId, ids]);
  }

  /** Writes what events of these types changed: which conversations are unread, and the order of all facets. */
  async follow(range: EventRange, types: readonly string[]): Promise<void> {
    await this.lockOrder();
    await this.sql.count(FOLLOW, [...rangeValues(range), types]);
  }

  /** Waits for other transactions that write the order of facets, until the unit of work ends. */
  async lockOrder(): Promise<void> {
    await this.sql.rows(LOCK_ORDER);
  }
}

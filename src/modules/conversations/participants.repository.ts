import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isVisible, scopeColumnsOf, visibilityOf } from '../../platform/database/visibility.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import { mentionFacet, participantFacet } from './facets.js';
import type { MovedMention, Participation, ParticipantKey } from './participant.js';

/** Counting of unread mentions stops here. */
const MAX_MENTIONS = 100;

/** SQL of a row's `ParticipantKey`. */
const keyOfRow = (row: string): string =>
  `${row}.workspace_id AS "workspaceId", ${row}.member_id AS "memberId", ${row}.conversation_id AS "conversationId"`;

/**
 * Adds acts of members. Ordinary messages of members who take part already change no row. Rows are locked in the order
 * of their keys.
 */
const JOIN = statement(`
  INSERT INTO participant AS known
    (workspace_id, member_id, conversation_id, assigned_at, wrote_at, mentioned_seq, acted_at, looked_seq)
  SELECT act.workspace_id, act.member_id, act.conversation_id, act.assigned_at, act.wrote_at, act.mentioned_seq,
         act.acted_at, act.looked_seq
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::int[], $7::timestamptz[], $8::int[])
    AS act (workspace_id, member_id, conversation_id, assigned_at, wrote_at, mentioned_seq, acted_at, looked_seq)
    JOIN member ON member.workspace_id = act.workspace_id AND member.id = act.member_id
    JOIN conversation ON conversation.workspace_id = act.workspace_id AND conversation.id = act.conversation_id
  WHERE act.assigned_at IS NOT NULL OR act.mentioned_seq IS NOT NULL OR NOT EXISTS (
    SELECT FROM participant
    WHERE participant.workspace_id = act.workspace_id AND participant.member_id = act.member_id
      AND participant.conversation_id = act.conversation_id AND participant.wrote_at IS NOT NULL
      AND participant.left_at IS NULL AND coalesce(participant.mentioned_seq <= participant.looked_seq, true))
  ORDER BY act.workspace_id, act.member_id, act.conversation_id
  ON CONFLICT (workspace_id, member_id, conversation_id) DO UPDATE SET
    assigned_at = coalesce(excluded.assigned_at, known.assigned_at),
    wrote_at = coalesce(known.wrote_at, excluded.wrote_at),
    mentioned_seq = greatest(known.mentioned_seq, excluded.mentioned_seq),
    acted_at = greatest(known.acted_at, excluded.acted_at),
    looked_seq = greatest(known.looked_seq, excluded.looked_seq),
    left_at = CASE WHEN known.left_at < excluded.acted_at THEN NULL ELSE known.left_at END
  RETURNING ${keyOfRow('known')}`);
const UNASSIGN = statement(`
  UPDATE participant SET assigned_at = NULL
  FROM (
    SELECT workspace_id, member_id, conversation_id
    FROM participant
      JOIN unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS gone (workspace_id, member_id, conversation_id)
        USING (workspace_id, member_id, conversation_id)
    ORDER BY workspace_id, member_id, conversation_id FOR NO KEY UPDATE OF participant
  ) AS gone
  WHERE participant.workspace_id = gone.workspace_id AND participant.member_id = gone.member_id
    AND participant.conversation_id = gone.conversation_id
  RETURNING ${keyOfRow('participant')}`);
const LOOK = statement(`
  INSERT INTO participant AS known (workspace_id, member_id, conversation_id, looked_seq, looked_at)
  VALUES ($1, $2, $3, $4, clock_timestamp())
  ON CONFLICT (workspace_id, member_id, conversation_id) DO UPDATE
    SET looked_seq = greatest(known.looked_seq, excluded.looked_seq), looked_at = excluded.looked_at`);
const LOOK_AT_ALL = statement(`
  UPDATE participant SET looked_seq = greatest(participant.looked_seq, looked.seq)
  FROM (
    SELECT conversation_id, seq FROM participant
      JOIN unnest($3::uuid[], $4::int[]) AS looked (conversation_id, seq) USING (conversation_id)
    WHERE workspace_id = $1 AND member_id = $2 ORDER BY conversation_id FOR NO KEY UPDATE OF participant
  ) AS looked
  WHERE participant.workspace_id = $1 AND participant.member_id = $2
    AND participant.conversation_id = looked.conversation_id`);
const LEAVE = statement(`
  INSERT INTO participant (workspace_id, member_id, conversation_id, left_at)
  VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (workspace_id, member_id, conversation_id) DO UPDATE SET left_at = excluded.left_at`);
const REMOVE_FACET = statement(
  'DELETE FROM conversation_facet WHERE workspace_id = $1 AND facet = $2 AND conversation_id = $3',
);
/** Writes the facets of participants whose rows this transaction has changed. */
const WRITE_FACETS = statement(`
  WITH current AS MATERIALIZED (
    SELECT workspace_id, member_id, conversation_id, last_activity_at, mentioned_seq IS NOT NULL AS mentioned,
      left_at IS NULL AND (assigned_at IS NOT NULL OR wrote_at IS NOT NULL OR mentioned_seq IS NOT NULL) AS takes_part
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS keys (workspace_id, member_id, conversation_id)
      JOIN participant USING (workspace_id, member_id, conversation_id)
      JOIN (SELECT workspace_id, id AS conversation_id, last_activity_at FROM conversation) AS conversation
        USING (workspace_id, conversation_id)
  ), facet AS (
    SELECT workspace_id, conversation_id, last_activity_at, facet, listed FROM current CROSS JOIN LATERAL (VALUES
      ('${participantFacet('')}' || member_id, takes_part), ('${mentionFacet('')}' || member_id, mentioned)
    ) AS of_member (facet, listed)
  ), removed AS (
    DELETE FROM conversation_facet AS known USING facet
    WHERE known.workspace_id = facet.workspace_id AND known.facet = facet.facet
      AND known.conversation_id = facet.conversation_id AND NOT facet.listed
  )
  INSERT INTO conversation_facet (workspace_id, facet, conversation_id, active_at)
  SELECT workspace_id, facet, conversation_id, last_activity_at FROM facet WHERE listed
  ORDER BY workspace_id, facet, conversation_id ON CONFLICT DO NOTHING`);
const LOOKS = statement(`
  SELECT ${keyOfRow('participant')}, looked_seq AS "lookedSeq", looked_at AS "lookedAt"
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS keys (workspace_id, member_id, conversation_id)
    JOIN participant USING (workspace_id, member_id, conversation_id)`);
const MOVE_MENTIONS = statement(`
  UPDATE participant SET mentioned_seq = moved.seq
  FROM (
    SELECT workspace_id, member_id, conversation_id, moved.seq
    FROM participant
      JOIN unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) AS moved (workspace_id, member_id, conversation_id, seq)
        USING (workspace_id, member_id, conversation_id)
    ORDER BY workspace_id, member_id, conversation_id FOR NO KEY UPDATE OF participant
  ) AS moved
  WHERE participant.workspace_id = moved.workspace_id AND participant.member_id = moved.member_id
    AND participant.conversation_id = moved.conversation_id
  RETURNING ${keyOfRow('participant')}`);
const UNREAD_MENTIONS = statement(`
  SELECT count(*)::int AS count FROM (
    SELECT FROM participant JOIN conversation
      ON conversation.workspace_id = participant.workspace_id AND conversation.id = participant.conversation_id
    WHERE participant.workspace_id = $1 AND participant.member_id = $4 AND mentioned_seq > looked_seq
      AND left_at IS NULL AND conversation.erased_at IS NULL
      AND ${isVisible(scopeColumnsOf('conversation'), { workspace: '$1', contact: '$2::uuid', channels: '$3::uuid[]' })}
    LIMIT ${MAX_MENTIONS}
  ) AS unread`);

/** How far a member has looked. */
export interface Look extends ParticipantKey {
  lookedSeq: number;
  lookedAt: Date | null;
}

@Injectable()
export class ParticipantsRepository {
  constructor(
    private readonly sql: SqlService,
    private readonly facets: ConversationFacetsRepository,
  ) {}

  async join(acts: readonly Participation[]): Promise<void> {
    if (acts.length === 0) return;
    const joined = await this.sql.rows<ParticipantKey>(JOIN, [
      ...keysOf(acts),
      acts.map(({ assignedAt }) => assignedAt),
      acts.map(({ wroteAt }) => wroteAt),
      acts.map(({ mentionedSeq }) => mentionedSeq),
      acts.map(({ actedAt }) => actedAt),
      acts.map(({ writtenSeq }) => writtenSeq ?? 0),
    ]);
    await this.writeFacets(joined);
  }

  async unassign(keys: readonly ParticipantKey[]): Promise<void> {
    if (keys.length > 0) await this.writeFacets(await this.sql.rows<ParticipantKey>(UNASSIGN, keysOf(keys)));
  }

  async look({ workspaceId, memberId, conversationId }: ParticipantKey, seq: number): Promise<void> {
    await this.sql.count(LOOK, [workspaceId, memberId, conversationId, seq]);
  }

  /** Moves the marks of several conversations, but adds no rows. */
  async lookAtAll(
    { workspaceId, memberId }: Omit<ParticipantKey, 'conversationId'>,
    looked: readonly { conversationId: string; seq: number }[],
  ): Promise<void> {
    if (looked.length === 0) return;
    const [ids, seqs] = [looked.map(({ conversationId }) => conversationId), looked.map(({ seq }) => seq)];
    await this.sql.count(LOOK_AT_ALL, [workspaceId, memberId, ids, seqs]);
  }

  async leave({ workspaceId, memberId, conversationId }: ParticipantKey): Promise<void> {
    await this.sql.count(LEAVE, [workspaceId, memberId, conversationId]);
    await this.sql.count(REMOVE_FACET, [workspaceId, participantFacet(memberId), conversationId]);
  }

  findLooks(keys: readonly ParticipantKey[]): Promise<Look[]> {
    return keys.length === 0 ? Promise.resolve([]) : this.sql.rows<Look>(LOOKS, keysOf(keys));
  }

  async moveMentions(moved: readonly MovedMention[]): Promise<void> {
    if (moved.length === 0) return;
    const values = [...keysOf(moved), moved.map(({ seq }) => seq)];
    await this.writeFacets(await this.sql.rows<ParticipantKey>(MOVE_MENTIONS, values));
  }

  /** Conversations with a mention of the caller that it has not looked at; counting stops at 100. */
  async countUnreadMentions(principal: AgentPrincipal): Promise<number> {
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    const values = [workspaceId, contactId, channels, principal.memberId];
    return (await this.sql.first<{ count: number }>(UNREAD_MENTIONS, values))?.count ?? 0;
  }

  private async writeFacets(keys: readonly ParticipantKey[]): Promise<void> {
    if (keys.length === 0) return;
    await this.facets.lockOrder();
    await this.sql.count(WRITE_FACETS, keysOf(keys));
  }
}

function keysOf(keys: readonly ParticipantKey[]): string[][] {
  return [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ memberId }) => memberId),
    keys.map(({ conversationId }) => conversationId),
  ];
}

import { Injectable } from '@nestjs/common';
import { NIL_ID } from '../../kernel/ids.js';
import type { Principal } from '../../kernel/principal.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { repairCounts, storedCounts } from '../../platform/database/stored-counts.js';
import { isVisible, visibilityOf } from '../../platform/database/visibility.js';
import type { Conversation, Status } from './conversation.js';
import type { ConversationCounts } from './inbox.js';

/** Keys are sorted, so that transactions that change the same counts lock them in one order and do not deadlock. */
const ADD = statement(`
  INSERT INTO conversation_tally (workspace_id, channel_id, status, assignee_id, count)
  SELECT $1, kind.channel_id, kind.status, kind.assignee_id, sum(kind.change)::int
  FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::int[]) AS kind (channel_id, status, assignee_id, change)
  GROUP BY kind.channel_id, kind.status, kind.assignee_id
  ORDER BY kind.channel_id, kind.status, kind.assignee_id
  ON CONFLICT (workspace_id, channel_id, status, assignee_id)
    DO UPDATE SET count = conversation_tally.count + excluded.count`);
const IS_VISIBLE = isVisible(
  { workspace: 'workspace_id', channel: 'channel_id' },
  { workspace: '$1', contact: '$2::uuid', channels: '$3::uuid[]' },
);
const COUNTS = statement(`
  SELECT coalesce(sum(count) FILTER (WHERE assignee_id = $4 AND status <> 'snoozed'), 0)::int AS mine,
         coalesce(sum(count) FILTER (WHERE assignee_id = '${NIL_ID}' AND status <> 'snoozed'), 0)::int AS unassigned,
         coalesce(sum(count) FILTER (WHERE status = 'open'), 0)::int AS open,
         coalesce(sum(count) FILTER (WHERE status = 'pending'), 0)::int AS pending,
         coalesce(sum(count) FILTER (WHERE status = 'snoozed'), 0)::int AS snoozed
  FROM conversation_tally WHERE ${IS_VISIBLE}`);
const STORED = storedCounts(
  'conversation_tally',
  ['workspace_id', 'channel_id', 'status', 'assignee_id'],
  'count',
  `SELECT workspace_id, channel_id, status, coalesce(assignee_id, '${NIL_ID}') AS assignee_id, count(*)::int AS count
   FROM conversation WHERE status <> 'resolved' GROUP BY 1, 2, 3, 4`,
);

type Kind = Pick<Conversation, 'channelId' | 'status' | 'assigneeId'>;

/** A conversation before and after a change; `from` is null for a new one. */
interface Move {
  from: Kind | null;
  to: Kind;
}

@Injectable()
export class ConversationCountsRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * Moves a conversation from one count to another. Call it last in the transaction, because these rows are contended.
   */
  moveCount(workspaceId: string, from: Kind | null, to: Kind): Promise<void> {
    return this.moveCounts(workspaceId, [{ from, to }]);
  }

  /** Like `moveCount`, for several conversations in one statement, so that all rows are locked in one order. */
  async moveCounts(workspaceId: string, moves: readonly Move[]): Promise<void> {
    const changes = moves
      .filter(({ from, to }) => !(from && sameKind(from, to)))
      .flatMap(({ from, to }) => [
        { kind: from, change: -1 },
        { kind: to, change: 1 },
      ])
      .filter((item): item is { kind: Kind; change: number } => item.kind !== null && item.kind.status !== 'resolved');
    if (changes.length === 0) return;
    await this.sql.count(ADD, [
      workspaceId,
      changes.map(({ kind }) => kind.channelId),
      changes.map(({ kind }): Status => kind.status),
      changes.map(({ kind }) => kind.assigneeId ?? NIL_ID),
      changes.map(({ change }) => change),
    ]);
  }

  async getCounts(principal: Principal): Promise<Omit<ConversationCounts, 'waiting'>> {
    const me = principal.kind === 'agent' ? principal.memberId : null;
    const { workspaceId, contactId, channels } = visibilityOf(principal);
    const counts = await this.sql.first<Omit<ConversationCounts, 'waiting'>>(COUNTS, [
      workspaceId,
      contactId,
      channels,
      me,
    ]);
    return counts ?? { mine: 0, unassigned: 0, open: 0, pending: 0, snoozed: 0 };
  }

  /** Recounts if any is wrong, in the caller's unit of work. @returns the number of wrong counts */
  repair(): Promise<number> {
    return repairCounts(this.sql, STORED);
  }
}

function sameKind(a: Kind, b: Kind): boolean {
  return a.channelId === b.channelId && a.status === b.status && a.assigneeId === b.assigneeId;
}

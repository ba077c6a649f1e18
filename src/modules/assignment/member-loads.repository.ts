import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { repairCounts, storedCounts } from '../../platform/database/stored-counts.js';

/** Members are sorted, so that transactions lock their rows in one order and do not deadlock. */
const ADD = statement(`
  INSERT INTO member_load (workspace_id, member_id, open_count)
  SELECT $1, change.member_id, sum(change.count)::int
  FROM unnest($2::uuid[], $3::int[]) AS change (member_id, count)
  GROUP BY change.member_id HAVING sum(change.count) <> 0 ORDER BY change.member_id
  ON CONFLICT (workspace_id, member_id) DO UPDATE SET open_count = member_load.open_count + excluded.open_count`);
const LOCK = statement(`
  INSERT INTO member_load (workspace_id, member_id, open_count)
  SELECT $1, id, 0 FROM unnest($2::uuid[]) AS id ORDER BY id
  ON CONFLICT (workspace_id, member_id) DO UPDATE SET open_count = member_load.open_count
  RETURNING member_id AS "memberId", open_count AS "openCount"`);
const ADD_TURNS = statement(`
  INSERT INTO assignment_turn (workspace_id, channel_id, member_id, assigned_at)
  SELECT $1, turn.channel_id, turn.member_id, clock_timestamp()
  FROM (SELECT DISTINCT channel_id, member_id FROM unnest($2::uuid[], $3::uuid[]) AS turn (channel_id, member_id)
        ORDER BY channel_id, member_id) AS turn
  ON CONFLICT (workspace_id, channel_id, member_id) DO UPDATE SET assigned_at = excluded.assigned_at`);
const LAST_TURN = statement(`
  SELECT assigned_at AS at FROM assignment_turn WHERE workspace_id = $1 AND channel_id = $2 AND member_id = $3`);
const STORED = storedCounts(
  'member_load',
  ['workspace_id', 'member_id'],
  'open_count',
  `SELECT workspace_id, assignee_id AS member_id, count(*)::int AS open_count FROM conversation
   WHERE status = 'open' AND assignee_id IS NOT NULL GROUP BY 1, 2`,
);

export interface LoadChange {
  memberId: string;
  count: 1 | -1;
}

export interface Turn {
  channelId: string;
  memberId: string;
}

/**
 * How many open conversations members have, and when they last got one of a channel. These rows are contended, so they
 * are locked after the conversations, loads before turns.
 */
@Injectable()
export class MemberLoadsRepository {
  constructor(private readonly sql: SqlService) {}

  async add(workspaceId: string, changes: readonly LoadChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.sql.count(ADD, [
      workspaceId,
      changes.map(({ memberId }) => memberId),
      changes.map(({ count }) => count),
    ]);
  }

  /** Locks the loads until the unit of work ends, so that no other transaction assigns to these members. */
  async lock(workspaceId: string, memberIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.sql.rows<{ memberId: string; openCount: number }>(LOCK, [workspaceId, memberIds]);
    return new Map(rows.map(({ memberId, openCount }) => [memberId, openCount]));
  }

  async addTurns(workspaceId: string, turns: readonly Turn[]): Promise<void> {
    if (turns.length === 0) return;
    await this.sql.count(ADD_TURNS, [
      workspaceId,
      turns.map(({ channelId }) => channelId),
      turns.map(({ memberId }) => memberId),
    ]);
  }

  /** @returns null if the member never got a conversation of the channel */
  async findLastTurn(workspaceId: string, { channelId, memberId }: Turn): Promise<Date | null> {
    return (await this.sql.first<{ at: Date }>(LAST_TURN, [workspaceId, channelId, memberId]))?.at ?? null;
  }

  /** Recounts if any is wrong, in the caller's unit of work. @returns the number of wrong loads */
  repair(): Promise<number> {
    return repairCounts(this.sql, STORED);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';

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
const ACTUAL_LOADS = `
  SELECT workspace_id, assignee_id AS member_id, count(*)::int AS open_count FROM conversation
  WHERE status = 'open' AND assignee_id IS NOT NULL GROUP BY 1, 2`;
const DRIFT = statement(`
  SELECT count(*)::int AS members FROM (${ACTUAL_LOADS}) AS truth
  FULL JOIN member_load USING (workspace_id, member_id)
  WHERE coalesce(truth.open_count, 0) <> coalesce(member_load.open_count, 0)`);
const FREEZE = statement('LOCK TABLE member_load IN EXCLUSIVE MODE');
const CLEAR = statement('DELETE FROM member_load');
const FILL = statement(`INSERT INTO member_load (workspace_id, member_id, open_count) ${ACTUAL_LOADS}`);

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

  /** Locks the loads until the unit of work ends, so that nobody assigns these members anything. */
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

  /** Number of wrong loads; 0 unless the tables were written by hand. */
  async countDrift(): Promise<number> {
    return (await this.sql.first<{ members: number }>(DRIFT))?.members ?? 0;
  }

  /** Blocks writers until the unit of work ends. */
  async freeze(): Promise<void> {
    await this.sql.count(FREEZE);
  }

  /** Recounts everything. Call `freeze` first. */
  async recount(): Promise<void> {
    await this.sql.count(CLEAR);
    await this.sql.count(FILL);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery } from '../../platform/jobs/due.worker.js';
import type { BotTurn, TurnState } from './bot-turn.js';

/** A claimed turn, with its state before the claim. */
export type ClaimedTurn = BotTurn & { lease: string };

const COLUMNS = `turn.workspace_id AS "workspaceId", turn.id, turn.kind, turn.conversation_id AS "conversationId",
  turn.bot_id AS "botId",
  turn.message_id AS "messageId", turn.seq, turn.reason, turn.state, turn.attempts, turn.due_at AS "dueAt",
  turn.deadline_at AS "deadlineAt", turn.has_message AS "hasMessage", turn.lease, turn.created_at AS "createdAt", turn.ended_at AS "endedAt"`;

const ADD = statement(`
  INSERT INTO bot_turn (workspace_id, id, kind, conversation_id, bot_id, message_id, seq, reason,
                        state, due_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, 'queued', CASE WHEN $3 = 'message' AND EXISTS (
    SELECT FROM bot_turn
    WHERE workspace_id = $1 AND conversation_id = $4 AND kind = 'message' AND state IN ('queued', 'open')
      AND ended_at IS NULL
  ) THEN NULL ELSE $9::timestamptz END`);
/**
 * The lease keeps other instances away; when it ends, the attempt is made again. A turn whose time is over is handed off
 * without a request, so it never waits until a request may begin.
 */
const CLAIM = statement(`
  WITH due AS (
    SELECT workspace_id, id FROM bot_turn
    WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
      AND (kind = 'message' AND (state = 'awaiting' OR deadline_at <= $1) OR $6 AND workspace_id <> ALL($7::uuid[]))
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE bot_turn AS turn SET due_at = $5, lease = gen_random_uuid()
  FROM due WHERE turn.workspace_id = due.workspace_id AND turn.id = due.id
  RETURNING ${COLUMNS}`);
const BEGIN = statement(`
  UPDATE bot_turn AS turn
  SET state = 'open', attempts = attempts + 1, due_at = $4, deadline_at = coalesce(deadline_at, $5)
  WHERE workspace_id = $1 AND id = $2 AND lease = $3 AND ended_at IS NULL
  RETURNING ${COLUMNS}`);
const RENEW = statement(`
  UPDATE bot_turn AS turn SET due_at = $5, deadline_at = greatest(turn.deadline_at, live.deadline_at)
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS live (workspace_id, id, lease, deadline_at)
  WHERE turn.workspace_id = live.workspace_id AND turn.id = live.id AND turn.lease = live.lease AND turn.state = 'open'
  RETURNING turn.id, turn.deadline_at AS "deadlineAt"`);
const LOCK = statement(`
  SELECT ${COLUMNS} FROM bot_turn AS turn
  WHERE workspace_id = $1 AND id = $2 AND lease = $3 AND ended_at IS NULL FOR UPDATE`);
const RETRY = statement(`
  UPDATE bot_turn SET state = 'queued', due_at = $4, lease = NULL
  WHERE workspace_id = $1 AND id = $2 AND lease = $3 AND ended_at IS NULL`);
/** Takes back an attempt that the end of this instance has cut off. */
const RELEASE = statement(`
  UPDATE bot_turn SET state = 'queued', attempts = attempts - 1, due_at = $4, lease = NULL
  WHERE workspace_id = $1 AND id = $2 AND lease = $3 AND ended_at IS NULL`);
const AWAIT = statement(`
  UPDATE bot_turn SET state = 'awaiting', due_at = deadline_at, lease = NULL WHERE workspace_id = $1 AND id = $2`);
const END = statement(`
  UPDATE bot_turn SET state = $3, due_at = NULL, lease = NULL, ended_at = $4
  WHERE workspace_id = $1 AND id = $2 AND ended_at IS NULL`);
const OPEN_NEXT = statement(`
  UPDATE bot_turn SET due_at = $3 WHERE workspace_id = $1 AND id = (
    SELECT id FROM bot_turn
    WHERE workspace_id = $1 AND conversation_id = $2 AND kind = 'message' AND state = 'queued' AND ended_at IS NULL
    ORDER BY seq LIMIT 1
  ) AND due_at IS NULL`);
const CANCEL = statement(`
  UPDATE bot_turn SET state = 'cancelled', due_at = NULL, lease = NULL, ended_at = $3
  WHERE workspace_id = $1 AND conversation_id = ANY($2) AND kind = 'message' AND ended_at IS NULL`);
/** Turns that the end of control at this time, or later, has cancelled. */
const RESTORE = statement(`
  UPDATE bot_turn SET state = 'queued', attempts = 0, due_at = NULL, deadline_at = NULL, ended_at = NULL
  WHERE workspace_id = $1 AND conversation_id = $2 AND bot_id = $3 AND kind = 'message' AND state = 'cancelled'
    AND ended_at >= $4`);
const CANCEL_NOTICES = statement(`
  UPDATE bot_turn SET state = 'cancelled', due_at = NULL, lease = NULL, ended_at = $3
  WHERE workspace_id = $1 AND conversation_id = $2 AND kind = 'ended' AND ended_at IS NULL`);
/** A bot that speaks has answered what it has been told of, and its time begins anew. */
const ADD_MESSAGE = statement(`
  UPDATE bot_turn
  SET has_message = true, deadline_at = $5,
      state = CASE state WHEN 'awaiting' THEN 'answered' ELSE state END,
      due_at = CASE state WHEN 'awaiting' THEN NULL ELSE due_at END,
      ended_at = CASE state WHEN 'awaiting' THEN $4::timestamptz END
  WHERE workspace_id = $1 AND conversation_id = $2 AND bot_id = $3 AND attempts > 0 AND kind = 'message'
    AND ended_at IS NULL`);
const EXTEND = statement(`
  UPDATE bot_turn SET deadline_at = $4, due_at = CASE state WHEN 'awaiting' THEN $4 ELSE due_at END
  WHERE workspace_id = $1 AND conversation_id = $2 AND bot_id = $3 AND ended_at IS NULL AND deadline_at IS NOT NULL`);
const DELETE_BEFORE = statement(`
  DELETE FROM bot_turn WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM bot_turn WHERE created_at < $1 AND ended_at IS NOT NULL LIMIT $2
  )`);
const BACKLOG = backlogStatement('due_at', 'bot_turn WHERE due_at <= $1');

type Key = Pick<BotTurn, 'workspaceId' | 'id'>;
type Claim = Key & { lease: string };
type NewTurn = Pick<
  BotTurn,
  'workspaceId' | 'id' | 'kind' | 'conversationId' | 'botId' | 'messageId' | 'seq' | 'reason'
>;

/** Limits of the requests that may begin now. */
interface CallRoom {
  mayCall: boolean;
  fullWorkspaceIds: readonly string[];
}

/** Turns of bots. Writers other than `claim`, `renew` and `retry` hold the lock of the turn's conversation. */
@Injectable()
export class BotTurnsRepository {
  constructor(private readonly sql: SqlService) {}

  /** Adds a turn, which is due at once unless an earlier one of the conversation is unfinished. */
  async add(turn: NewTurn, now: Date): Promise<void> {
    const { workspaceId, id, kind, conversationId, botId, messageId, seq, reason } = turn;
    await this.sql.count(ADD, [workspaceId, id, kind, conversationId, botId, messageId, seq, reason, now]);
  }

  claim(
    { now, limit, exceptWorkspaceIds, exceptIds }: DueQuery,
    leaseEnd: Date,
    { mayCall, fullWorkspaceIds }: CallRoom,
  ): Promise<ClaimedTurn[]> {
    const values = [now, limit, exceptWorkspaceIds, exceptIds, leaseEnd, mayCall, fullWorkspaceIds];
    return this.sql.rows<ClaimedTurn>(CLAIM, values);
  }

  /** Counts an attempt. @returns undefined if the claim is lost or the turn has ended */
  begin({ workspaceId, id, lease }: Claim, leaseEnd: Date, deadline: Date): Promise<ClaimedTurn | undefined> {
    return this.sql.first<ClaimedTurn>(BEGIN, [workspaceId, id, lease, leaseEnd, deadline]);
  }

  /**
   * Renews the leases of attempts under way, and stores their deadlines unless a later one is stored.
   * @returns the deadlines of those whose claim is not lost, by id
   */
  async renew(turns: readonly (Claim & { deadlineAt: Date })[], leaseEnd: Date): Promise<Map<string, Date>> {
    const columns = [
      turns.map(({ workspaceId }) => workspaceId),
      turns.map(({ id }) => id),
      turns.map(({ lease }) => lease),
      turns.map(({ deadlineAt }) => deadlineAt),
    ];
    const renewed = await this.sql.rows<{ id: string; deadlineAt: Date }>(RENEW, [...columns, leaseEnd]);
    return new Map(renewed.map(({ id, deadlineAt }) => [id, deadlineAt]));
  }

  /** Locks the turn. @returns undefined if the claim is lost or the turn has ended */
  lock({ workspaceId, id, lease }: Claim): Promise<ClaimedTurn | undefined> {
    return this.sql.first<ClaimedTurn>(LOCK, [workspaceId, id, lease]);
  }

  async retry({ workspaceId, id, lease }: Claim, at: Date): Promise<void> {
    await this.sql.count(RETRY, [workspaceId, id, lease, at]);
  }

  /** Makes the turn due again, without its last attempt. */
  async release({ workspaceId, id, lease }: Claim, now: Date): Promise<void> {
    await this.sql.count(RELEASE, [workspaceId, id, lease, now]);
  }

  /** Ends the delivery. The bot may answer until the turn's deadline. */
  async awaitAnswer({ workspaceId, id }: Key): Promise<void> {
    await this.sql.count(AWAIT, [workspaceId, id]);
  }

  async end(
    { workspaceId, id }: Key,
    state: Extract<TurnState, 'answered' | 'failed' | 'cancelled'>,
    now: Date,
  ): Promise<void> {
    await this.sql.count(END, [workspaceId, id, state, now]);
  }

  /** Makes the conversation's next turn due. @returns true if there is one */
  async openNext(workspaceId: string, conversationId: string, now: Date): Promise<boolean> {
    return (await this.sql.count(OPEN_NEXT, [workspaceId, conversationId, now])) > 0;
  }

  async cancelAll(workspaceId: string, conversationIds: readonly string[], now: Date): Promise<void> {
    await this.sql.count(CANCEL, [workspaceId, conversationIds, now]);
  }

  /**
   * Makes the turns that were cancelled since then due again, one after the other under their ids, and cancels the notice
   * of the end unless it was delivered.
   */
  async restore(
    { workspaceId, id, botId }: { workspaceId: string; id: string; botId: string | null },
    cancelledSince: Date,
    now: Date,
  ): Promise<void> {
    await this.sql.count(CANCEL_NOTICES, [workspaceId, id, now]);
    await this.sql.count(RESTORE, [workspaceId, id, botId, cancelledSince]);
    await this.openNext(workspaceId, id, now);
  }

  /** Records that the bot has sent a message: awaited turns are answered, and others have begun to be. */
  async addMessage(
    { workspaceId, id: conversationId }: { workspaceId: string; id: string },
    botId: string,
    now: Date,
    deadline: Date,
  ): Promise<void> {
    await this.sql.count(ADD_MESSAGE, [workspaceId, conversationId, botId, now, deadline]);
  }

  /** Gives the bot more time for all that it has been told of and not answered. */
  async extend(workspaceId: string, conversationId: string, botId: string, deadline: Date): Promise<void> {
    await this.sql.count(EXTEND, [workspaceId, conversationId, botId, deadline]);
  }

  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_BEFORE, [time, limit]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }
}

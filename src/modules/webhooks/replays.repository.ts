import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { violates } from '../../platform/database/database-errors.js';
import type { Statement } from '../../platform/database/sql.service.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { EventColumnsService } from '../../platform/events/event-columns.service.js';
import type { EventRow } from '../../platform/events/event-row.js';
import { toRecordedEvent } from '../../platform/events/event-row.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { statusSql } from './delivery-status.js';
import { ReplayRunning } from './webhooks.errors.js';

/** The rules by which `WebhookPayloadsService` finds nothing to show of an event, in SQL. */
const IS_PUBLIC = `CASE type WHEN 'conversation.read' THEN payload ->> 'last_public_read_seq' IS NOT NULL
    ELSE (payload #>> '{message,private}') IS DISTINCT FROM 'true' END`;
const IS_IN_CHANNELS = `CASE WHEN type = ANY($8::text[]) THEN payload -> 'channel_ids' ?| $7::text[]
    ELSE channel_id::text = ANY($7::text[]) END`;
const IS_SELECTED = `workspace_id = $1 AND recorded_at >= $3 AND recorded_at < $4 AND type = ANY($5::text[])
  AND ($6::boolean OR ${IS_PUBLIC}) AND ($7::text[] IS NULL OR ${IS_IN_CHANNELS})`;
const HAS_DELIVERY = (status: string) => `EXISTS (
    SELECT FROM webhook_delivery AS delivery WHERE delivery.workspace_id = webhook_event.workspace_id
      AND delivery.event_id = webhook_event.id AND delivery.webhook_id = $2 ${status})`;
const POSITIONS = statement(`
  SELECT position FROM event WHERE ${IS_SELECTED}
  UNION SELECT position FROM webhook_event WHERE ${IS_SELECTED} AND ${HAS_DELIVERY('')}
  ORDER BY position LIMIT $9`);
const STATUS = statusSql('$10::bigint');
const FAILED_POSITIONS = statement(`
  SELECT position FROM webhook_event WHERE ${IS_SELECTED} AND ${HAS_DELIVERY(`AND ${STATUS} = 'failed'`)}
    AND NOT ${HAS_DELIVERY(`AND ${STATUS} <> 'failed'`)}
  ORDER BY position LIMIT $9`);
const INSERT = statement(`
  INSERT INTO webhook_replay (workspace_id, id, webhook_id, positions, due_at, created_at)
  VALUES ($1, $2, $3, $4::bigint[], $5, $6)`);
const IS_PENDING = statement(`
  SELECT true AS found FROM webhook_delivery
  WHERE workspace_id = $1 AND webhook_id = $2 AND lane = 'replay' AND status = 'pending' AND number > $3 LIMIT 1`);
const DUE = statement(`
  SELECT id, workspace_id AS "workspaceId" FROM webhook_replay
  WHERE due_at <= $1 AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[]) ORDER BY due_at LIMIT $2`);
const LOCK = statement(`
  SELECT id, workspace_id AS "workspaceId", webhook_id AS "webhookId", done, cardinality(positions) AS total,
         positions[done + 1 : done + $3::int]::text[] AS slice
  FROM webhook_replay WHERE workspace_id = $1 AND id = $2 AND due_at IS NOT NULL FOR UPDATE SKIP LOCKED`);
const ADVANCE = statement(`UPDATE webhook_replay SET done = $3, due_at = $4 WHERE workspace_id = $1 AND id = $2`);
const BACKLOG = backlogStatement('due_at', 'webhook_replay WHERE due_at <= $1');
const DELETE_OLD = statement(`
  DELETE FROM webhook_replay USING (
    SELECT workspace_id, id FROM webhook_replay WHERE due_at IS NULL AND created_at < $1 LIMIT $2
  ) AS old
  WHERE webhook_replay.workspace_id = old.workspace_id AND webhook_replay.id = old.id`);

const COLUMNS = `event.id, event.type, event.workspace_id, event.channel_id, event.conversation_id, event.contact_id,
  event.actor, event.payload_version, NULL AS request_id, event.recorded_at, event.position AS number,
  event.position::text AS position`;
/** Reads the log where it has the event, otherwise the copy. `number` orders, because the text puts 100 before 99. */
const eventsAt = ({ payload }: EventColumnsService): Statement =>
  statement(`
    SELECT ${COLUMNS}, event.xid::text AS xid, true AS "isInLog", ${payload} AS payload
    FROM event WHERE event.workspace_id = $1 AND event.position = ANY($2::bigint[])
    UNION ALL
    SELECT ${COLUMNS}, '0', false, ${payload}
    FROM webhook_event AS event
    WHERE event.workspace_id = $1 AND event.position = ANY($2::bigint[])
      AND EXISTS (SELECT FROM webhook_delivery AS delivery WHERE delivery.workspace_id = event.workspace_id
        AND delivery.event_id = event.id AND delivery.webhook_id = $3)
      AND NOT EXISTS (SELECT FROM event AS logged WHERE logged.position = event.position AND logged.id = event.id)
    ORDER BY number`);

/** Which events are to be replayed. */
export interface ReplaySelection {
  workspaceId: string;
  webhookId: string;
  from: Date;
  to: Date;
  types: readonly EventType[];
  includePrivate: boolean;
  channelIds: ChannelScope;
  /** The types whose payload lists the channels of a contact in `channel_ids`. */
  contactTypes: readonly EventType[];
  onlyFailed: boolean;
  /** The number up to which pending deliveries have ended. A bigint as text. */
  endedNumber: string;
}

export interface ReplaySlice extends DueRow {
  webhookId: string;
  done: number;
  total: number;
  /** Positions of the next events. */
  slice: string[];
}

export interface ReplayedEvent extends RecordedEvent {
  isInLog: boolean;
}

@Injectable()
export class ReplaysRepository {
  private readonly eventsAt: Statement;

  constructor(
    private readonly sql: SqlService,
    columns: EventColumnsService,
  ) {
    this.eventsAt = eventsAt(columns);
  }

  /** Finds positions of the log, ascending. */
  async findPositions(selection: ReplaySelection, limit: number): Promise<string[]> {
    const { workspaceId, webhookId, from, to, types, includePrivate, channelIds, contactTypes } = selection;
    const { onlyFailed, endedNumber } = selection;
    const values = [workspaceId, webhookId, from, to, types, includePrivate, channelIds, contactTypes, limit];
    const rows = onlyFailed
      ? await this.sql.rows<{ position: string }>(FAILED_POSITIONS, [...values, endedNumber])
      : await this.sql.rows<{ position: string }>(POSITIONS, values);
    return rows.map(({ position }) => position);
  }

  /** @throws ReplayRunning */
  async insert(
    { workspaceId, webhookId }: Pick<ReplaySelection, 'workspaceId' | 'webhookId'>,
    id: string,
    positions: readonly string[],
    now: Date,
  ): Promise<void> {
    const dueAt = positions.length === 0 ? null : now;
    const values = [workspaceId, id, webhookId, positions, dueAt, now];
    await this.sql.count(INSERT, values).catch((error: unknown) => {
      if (violates(error, 'uq_webhook_replay_running')) throw new ReplayRunning({ cause: error });
      throw error;
    });
  }

  /** Tells whether replayed deliveries after this number wait for their first attempt. */
  async hasPending(workspaceId: string, webhookId: string, afterNumber: string): Promise<boolean> {
    return (await this.sql.first(IS_PENDING, [workspaceId, webhookId, afterNumber])) !== undefined;
  }

  findDue({ now, limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<DueRow[]> {
    return this.sql.rows<DueRow>(DUE, [now, limit, exceptWorkspaceIds, exceptIds]);
  }

  /** @returns undefined if it has ended or another transaction has locked it */
  tryLock({ workspaceId, id }: DueRow, size: number): Promise<ReplaySlice | undefined> {
    return this.sql.first<ReplaySlice>(LOCK, [workspaceId, id, size]);
  }

  /** Events of the log, or copies that were delivered to the webhook, in order. */
  async findEvents({ workspaceId, webhookId, slice }: ReplaySlice): Promise<ReplayedEvent[]> {
    type Row = EventRow & { isInLog: boolean };
    const rows = await this.sql.rows<Row>(this.eventsAt, [workspaceId, slice, webhookId]);
    return rows.map(row => ({ ...toRecordedEvent(row), isInLog: row.isInLog }));
  }

  /** @param dueAt null once all events are queued */
  async advance({ workspaceId, id }: DueRow, done: number, dueAt: Date | null): Promise<void> {
    await this.sql.count(ADVANCE, [workspaceId, id, done, dueAt]);
  }

  measure(now: Date): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, [now]);
  }

  /** @returns the number of deleted replays */
  deleteBefore(time: Date, limit: number): Promise<number> {
    return this.sql.count(DELETE_OLD, [time, limit]);
  }
}

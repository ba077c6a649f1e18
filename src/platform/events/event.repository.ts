import { Injectable } from '@nestjs/common';
import type { ClientOrigin } from '../../kernel/client-origin.js';
import { toWireTime } from '../../kernel/clock.js';
import type { Actor, DomainEvents, EventType, NewEvent, RecordedEvent } from '../../kernel/domain-event.js';
import { Sql, statement } from '../database/sql.js';
import type { PageRange } from './log-cursor.js';

/** TypeORM knows no `xid8`, so the log has no entity: these statements are all that touches it. */
const APPEND = statement(`
  WITH previous AS (
    SELECT id, xid::text AS xid FROM event WHERE conversation_id = $4 ORDER BY position DESC LIMIT 1
  )
  INSERT INTO event (id, workspace_id, channel_id, conversation_id, contact_id, type, actor, payload, payload_version,
                     request_id, address, user_agent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  RETURNING xid::text AS xid, position::text AS position, recorded_at,
            (SELECT id FROM previous) AS previous_id, (SELECT xid FROM previous) AS previous_xid`);

const COLUMNS = `id, type, workspace_id, channel_id, conversation_id, contact_id, actor, payload, payload_version,
  request_id, recorded_at, xid::text AS xid, position::text AS position`;

const HORIZON = statement(`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon`);

/**
 * How far the log has settled since a horizon, and between which positions that is: read from an index alone.
 *
 * Transactions draw their numbers before they wait for a conversation's lock, so an event can have a lower number than
 * the one before it, and the horizon of a third transaction can fall between the two. So the positions begin with the
 * first event that there is, settled or not: then the earlier one, which was committed before the later one could be
 * written, is read with it although its number has not settled.
 */
const SETTLED_SINCE = statement(`
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon)
  SELECT snapshot.horizon::text AS horizon, settled.first::text AS first, settled.last::text AS last
  FROM snapshot CROSS JOIN LATERAL (
    SELECT min(position) AS first, max(position) FILTER (WHERE xid < snapshot.horizon) AS last
    FROM event WHERE xid >= $1::xid8 AND snapshot.horizon > $1::xid8
  ) AS settled`);

/**
 * A page of what lies between two positions. It needs no snapshot in common with the statement above: what had settled
 * then is there for good, and an event that appears between them later follows only what was there to be read before.
 */
const PAGE = statement(`
  SELECT ${COLUMNS} FROM event WHERE xid >= $1::xid8 AND position >= $2 AND position <= $3
  ORDER BY event.position LIMIT $4`);
const PAGE_SIZE = 200;

/**
 * What has happened in a workspace since a transaction's number, settled or not: for one who listens already, and who
 * therefore misses nothing that appears behind it. Unsorted within the limit, for what exceeds it is not asked for.
 */
const RECENT = statement(`
  SELECT ${COLUMNS} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3)
    AND ($4::uuid[] IS NULL OR conversation_id = ANY($4))
  LIMIT $5`);

/** A page of what lies between two positions, of one workspace. */
const PAGE_OF_WORKSPACE = statement(`
  SELECT ${COLUMNS} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3) AND position > $4 AND position <= $5
  ORDER BY event.position LIMIT $6`);

/** Whether a place in the log can still be read on from, and is one that this log has come to. */
const STANDING = statement(`
  SELECT $1::xid8 > pruned_xid AS kept, $1::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) AS reached FROM event_log`);

/**
 * Drops the oldest events, at most so many, and notes up to which transaction's number something has gone. Positions
 * and times ascend together, but for what waited for a lock.
 */
const PRUNE = statement(`
  WITH batch AS (SELECT position, recorded_at FROM event ORDER BY position LIMIT $2),
  gone AS (
    DELETE FROM event USING batch
    WHERE event.position = batch.position AND batch.recorded_at < $1 RETURNING event.xid
  ),
  noted AS (
    UPDATE event_log SET pruned_xid = GREATEST(pruned_xid, (SELECT max(xid) FROM gone)) WHERE EXISTS (SELECT 1 FROM gone)
  )
  SELECT count(*)::int AS dropped FROM gone`);

/** What was said is replaced by nothing; that something was said stays. */
const SCRUB_MESSAGE = statement(`
  UPDATE event
  SET payload = jsonb_set(payload, '{message}', payload -> 'message' || '{"content": null, "attachments": [], "metadata": {}}')
  WHERE workspace_id = $1 AND conversation_id = $2 AND payload #>> '{message,id}' = $3`);

const IDENTITY = statement(`
  SELECT log.id || '/' || system.system_identifier || '/' || checkpoint.timeline_id AS identity
  FROM event_log log, pg_control_system() system, pg_control_checkpoint() checkpoint`);

interface EventRow {
  id: string;
  type: string;
  workspace_id: string;
  channel_id: string | null;
  conversation_id: string | null;
  contact_id: string | null;
  actor: Actor;
  payload: DomainEvents[EventType];
  payload_version: number;
  request_id: string | null;
  recorded_at: Date;
  xid: string;
  position: string;
}

interface AppendedRow extends Pick<EventRow, 'xid' | 'position' | 'recorded_at'> {
  previous_id: string | null;
  previous_xid: string | null;
}

/** An event that names the one before it in its conversation, so that whoever hears of it knows what it has missed. */
export interface AppendedEvent extends RecordedEvent {
  previous: Pick<RecordedEvent, 'id' | 'xid'> | null;
}

/** What the log adds to an event of its own. */
export interface EventStamp {
  payloadVersion: number;
  requestId: string | null;
  /** Kept only where somebody may have to answer for what was done. */
  origin: ClientOrigin | null;
}

/** What has settled between two horizons: before one (the oldest transaction still open) nothing can appear any more. */
export interface SettledRange {
  since: string;
  horizon: string;
  /** Of the first event and the last; null when there is none. */
  first: string | null;
  last: string | null;
}

const NOWHERE = { kept: false, reached: false };

@Injectable()
export class EventRepository {
  constructor(private readonly sql: Sql) {}

  /** Draws the event's position: call it while the row that orders such events is locked. */
  async append(id: string, event: NewEvent, stamp: EventStamp): Promise<AppendedEvent> {
    const place = {
      workspaceId: event.workspaceId,
      channelId: event.channelId ?? null,
      conversationId: event.conversationId ?? null,
      contactId: event.contactId ?? null,
    };
    const row = await this.sql.first<AppendedRow>(APPEND, [
      id,
      place.workspaceId,
      place.channelId,
      place.conversationId,
      place.contactId,
      event.type,
      JSON.stringify(event.actor),
      JSON.stringify(event.payload),
      stamp.payloadVersion,
      stamp.requestId,
      stamp.origin?.address ?? null,
      stamp.origin?.userAgent ?? null,
    ]);
    if (!row) throw new Error('the event log returned no row');
    const { xid, position, previous_id, previous_xid } = row;
    const { type, actor, payload } = event;
    const recordedAt = toWireTime(row.recorded_at);
    const { payloadVersion, requestId } = stamp;
    const previous = previous_id && previous_xid ? { id: previous_id, xid: previous_xid } : null;
    return { id, type, ...place, actor, payload, payloadVersion, requestId, recordedAt, xid, position, previous };
  }

  async horizon(): Promise<string> {
    return (await this.sql.first<{ horizon: string }>(HORIZON))?.horizon ?? '0';
  }

  /** What the transactions wrote that have ended between a horizon and the present one. */
  async settledSince(since: string): Promise<SettledRange> {
    const range = await this.sql.first<Omit<SettledRange, 'since'>>(SETTLED_SINCE, [since]);
    return { since, horizon: since, first: null, last: null, ...range };
  }

  /**
   * Every event of the range in order of position, a page at a time; with those that lie between although they have not
   * settled, which will come again with their own range.
   */
  async *read({ since, first, last }: SettledRange): AsyncGenerator<RecordedEvent[]> {
    let from = first;
    while (from !== null && last !== null) {
      const rows: EventRow[] = await this.sql.rows<EventRow>(PAGE, [since, from, last, PAGE_SIZE]);
      yield rows.map(toRecordedEvent);
      const end = rows.length < PAGE_SIZE ? undefined : rows.at(-1)?.position;
      from = end === undefined ? null : (BigInt(end) + 1n).toString();
    }
  }

  /** @param conversationIds null: of the whole workspace @returns at most `limit`, in order of position */
  async recent(
    workspaceId: string,
    since: string,
    types: readonly EventType[],
    conversationIds: readonly string[] | null,
    limit: number,
  ): Promise<RecordedEvent[]> {
    const rows = await this.sql.rows<EventRow>(RECENT, [workspaceId, since, types, conversationIds, limit]);
    return rows.map(toRecordedEvent).sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1));
  }

  /** What lies behind a position in a settled range, in order of position. */
  async page(
    workspaceId: string,
    since: string,
    types: readonly EventType[],
    range: Pick<PageRange, 'position' | 'last'>,
    limit: number,
  ): Promise<RecordedEvent[]> {
    const values = [workspaceId, since, types, range.position, range.last, limit];
    return (await this.sql.rows<EventRow>(PAGE_OF_WORKSPACE, values)).map(toRecordedEvent);
  }

  async standing(since: string): Promise<{ kept: boolean; reached: boolean }> {
    return (await this.sql.first<{ kept: boolean; reached: boolean }>(STANDING, [since])) ?? NOWHERE;
  }

  /** Drops the oldest events that were recorded before then. @returns how many; fewer than `limit` when all are gone */
  async prune(before: Date, limit: number): Promise<number> {
    return (await this.sql.first<{ dropped: number }>(PRUNE, [before, limit]))?.dropped ?? 0;
  }

  async scrubMessage(workspaceId: string, conversationId: string, messageId: string): Promise<void> {
    await this.sql.count(SCRUB_MESSAGE, [workspaceId, conversationId, messageId]);
  }

  /** Names this very log: a restored dump or a failover answers another one. */
  async identity(): Promise<string> {
    return (await this.sql.first<{ identity: string }>(IDENTITY))?.identity ?? '';
  }
}

function toRecordedEvent(row: EventRow): RecordedEvent {
  return {
    id: row.id,
    type: row.type as EventType,
    workspaceId: row.workspace_id,
    channelId: row.channel_id,
    conversationId: row.conversation_id,
    contactId: row.contact_id,
    actor: row.actor,
    payload: row.payload,
    payloadVersion: row.payload_version,
    requestId: row.request_id,
    recordedAt: toWireTime(row.recorded_at),
    xid: row.xid,
    position: row.position,
  };
}

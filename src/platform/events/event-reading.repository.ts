import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { batchQuery, BatchLoader, many, one } from '../database/batch-loader.js';
import type { Statement } from '../database/sql.service.js';
import { SqlService, statement } from '../database/sql.service.js';
import type { EventRow } from './event-row.js';
import { EVENT_METADATA, EventColumnsService } from './event-columns.service.js';
import { toRecordedEvent } from './event-row.js';
import type { PageRange } from './log-cursor.js';
import type { EventMark } from './watermark.js';
import { markOf } from './watermark.js';

/**
 * Finds how far the log has settled since a horizon, and between which positions. An index-only scan.
 *
 * A transaction gets its number before it waits for a conversation's lock, so an event can have a lower number than its
 * predecessor, and the horizon can fall between the two. The range therefore starts at the first position of any event,
 * settled or not: the predecessor was committed before its successor was written, so it is visible and read with it.
 */
const SETTLED_SINCE = statement(`
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon)
  SELECT newest.xid::text AS newest_xid, newest.position::text AS newest_position, newest.id AS newest_id,
         settled.first::text AS first, settled.last::text AS last
  FROM snapshot CROSS JOIN LATERAL (
    SELECT xid, position, id FROM event
    WHERE xid >= $1::xid8 AND xid < snapshot.horizon ORDER BY event.xid DESC, event.position DESC LIMIT 1
  ) AS newest CROSS JOIN LATERAL (
    SELECT min(position) AS first, max(position) FILTER (WHERE xid <= newest.xid) AS last
    FROM event WHERE xid >= $1::xid8
  ) AS settled`);

/** Bytes of payloads to read in the first query and in each page, plus the payload that exceeds it. */
const HEAD_BYTES = 64 * 1024;
export const PAGE_BYTES = 256 * 1024;

/**
 * SQL of a payload's approximate size as JSON. An uncompressed value has about the size of its text; a compressed one
 * can be many times larger as text, so its text is measured.
 */
const PAYLOAD_BYTES = `CASE WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload)
  ELSE octet_length(payload::text) END`;

type Since = [workspaceId: string, since: string, types: string, limit: number, conversationIds: string | null];
const SINCE = { workspace_id: 'uuid', since: 'xid8', types: 'text', max_events: 'integer', conversation_ids: 'text' };
const recent = ({ payload }: EventColumnsService, condition: string): readonly [Statement, Statement] =>
  batchQuery(
    SINCE,
    from => `
      SELECT lookup.key_index, missed.* FROM ${from} CROSS JOIN LATERAL (
        SELECT ${EVENT_METADATA}, bytes,
               CASE WHEN bytes_through - bytes < ${HEAD_BYTES} THEN ${payload} END AS payload
        FROM (
          SELECT event.*, sum(bytes) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS bytes_through
          FROM (
            SELECT event.*, ${PAYLOAD_BYTES} AS bytes FROM event WHERE ${condition} LIMIT lookup.max_events
          ) AS event
        ) AS event
      ) AS missed`,
  );
const HAPPENED = `event.workspace_id = lookup.workspace_id AND xid >= lookup.since AND type = ANY(lookup.types::text[])`;

/**
 * Reads a workspace's events since a transaction number, settled or not. The reader is already subscribed to live
 * events, so it misses nothing that commits later. The limit applies before sorting, because a larger result is
 * discarded anyway.
 */

/**
 * The same for some conversations, from the index on `conversation_id`. `IS TRUE` prevents the use of other indexes:
 * PostgreSQL has no statistics for the newest rows, estimates almost none, and would read the log of all workspaces.
 */
const OF_CONVERSATIONS = `conversation_id = ANY(lookup.conversation_ids::uuid[]) AND (${HAPPENED}) IS TRUE`;

/** Reads a page of one workspace's events between two positions. */
const pageOfWorkspace = ({ all }: EventColumnsService): Statement =>
  statement(`
  SELECT ${all} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3) AND position > $4 AND position <= $5
  ORDER BY event.position LIMIT $6`);

/** Reads events by position. Retention may have removed some of them. */
const byPosition = ({ all }: EventColumnsService): Statement =>
  statement(`SELECT ${all} FROM event WHERE position = ANY($1::bigint[]) ORDER BY event.position`);

/** Reads the state that decides whether the log can still be read on from a cursor. */
const CURSOR_STATE = batchQuery(
  { position: 'bigint' },
  from => `
    SELECT lookup.key_index, pruned_xid::text AS pruned, pg_snapshot_xmax(pg_current_snapshot())::text AS next,
           event.id AS id, event.xid::text AS xid
    FROM event_log CROSS JOIN ${from} LEFT JOIN event ON event.position = lookup.position`,
);

/** `pg_locks` shows transaction numbers without the epoch of `xid8`. */
const BLOCKER = statement(`
  SELECT pg_locks.pid, pg_stat_activity.usename AS user FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted AND pg_locks.pid IS NOT NULL
    AND transactionid::text = ($1::bigint & 4294967295)::text`);

/** A range of settled events: no event can appear in it later. */
export interface SettledRange {
  /** The event with the highest transaction number. */
  newest: EventMark;
  /** The transaction number at which the range ends, exclusive. */
  horizon: string;
  /** The positions of its first and last event. */
  first: string;
  last: string;
}

interface SettledRow {
  newest_xid: string;
  newest_position: string;
  newest_id: string;
  first: string;
  last: string;
}

interface CursorStateRow {
  pruned: string;
  next: string;
  id: string | null;
  xid: string | null;
}

/** The state of the log that concerns one cursor. */
export interface CursorState {
  /** The highest transaction number among the events that retention has removed. */
  pruned: bigint;
  /** A lower bound of the next transaction's number. */
  next: bigint;
  /** The event at the cursor's position; null where there is none. */
  found: { id: string; xid: bigint } | null;
}

/** A missed event whose payload has not been read. */
export interface EventRef {
  id: string;
  xid: string;
  position: string;
  /** The approximate size of its payload as JSON. */
  bytes: number;
}

/** Missed events in order of position: the first ones with payloads, about 64 KiB, then references to the rest. */
export interface MissedEvents {
  events: RecordedEvent[];
  rest: EventRef[];
  /** The approximate size of all payloads. */
  bytes: number;
}

/** The payload is null for all but the first rows. */
type MissedRow = Omit<EventRow, 'payload'> & { payload: EventRow['payload'] | null; bytes: number };

const isRead = (row: MissedRow): row is MissedRow & EventRow => row.payload !== null;

/** Reads the log for resuming clients and for backends. */
@Injectable()
export class EventReadingRepository {
  private readonly recents: BatchLoader<Since, MissedRow[]>;
  private readonly recentsOfConversations: BatchLoader<Since, MissedRow[]>;
  private readonly cursorStates: BatchLoader<[position: string], CursorStateRow>;

  private readonly pageOfWorkspace: Statement;
  private readonly byPosition: Statement;

  constructor(
    private readonly sql: SqlService,
    columns: EventColumnsService,
  ) {
    this.recents = new BatchLoader(many(sql, ...recent(columns, HAPPENED)));
    this.recentsOfConversations = new BatchLoader(many(sql, ...recent(columns, OF_CONVERSATIONS)));
    this.pageOfWorkspace = pageOfWorkspace(columns);
    this.byPosition = byPosition(columns);
    this.cursorStates = new BatchLoader(one(sql, ...CURSOR_STATE));
  }

  /**
   * Finds the events between a transaction number and the oldest open transaction.
   * @returns null when there are none
   */
  async settledSince(since: string): Promise<SettledRange | null> {
    const row = await this.sql.first<SettledRow>(SETTLED_SINCE, [since]);
    if (!row) return null;
    const newest = { position: row.newest_position, mark: markOf(row.newest_id) };
    return { newest, horizon: (BigInt(row.newest_xid) + 1n).toString(), first: row.first, last: row.last };
  }

  /** Finds the server process whose open transaction has this number. @returns null when none is visible */
  async findBlocker(horizon: string): Promise<{ pid: number; user: string | null } | null> {
    return (await this.sql.first<{ pid: number; user: string | null }>(BLOCKER, [horizon])) ?? null;
  }

  /** @param conversationIds null selects the whole workspace @returns at most `limit` events */
  async recent(
    workspaceId: string,
    since: string,
    types: readonly EventType[],
    conversationIds: readonly string[] | null,
    limit: number,
  ): Promise<MissedEvents> {
    const reads = conversationIds === null ? this.recents : this.recentsOfConversations;
    const ids = conversationIds && `{${conversationIds.join(',')}}`;
    const rows = (await reads.load(workspaceId, since, `{${types.join(',')}}`, limit, ids)) ?? [];
    rows.sort((a, b) => (BigInt(a.position) < BigInt(b.position) ? -1 : 1));
    const rest = rows.filter(row => !isRead(row));
    return {
      events: rows.filter(isRead).map(toRecordedEvent),
      rest: rest.map(({ id, xid, position, bytes }) => ({ id, xid, position, bytes })),
      bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** @returns the events in order, without those that retention has removed */
  async findByPosition(positions: readonly string[]): Promise<RecordedEvent[]> {
    return (await this.sql.rows<EventRow>(this.byPosition, [positions])).map(toRecordedEvent);
  }

  /** Reads the events after a position in a settled range, in order of position. */
  async page(
    workspaceId: string,
    since: string,
    types: readonly EventType[],
    range: Pick<PageRange, 'position' | 'last'>,
    limit: number,
  ): Promise<RecordedEvent[]> {
    const values = [workspaceId, since, types, range.position, range.last, limit];
    return (await this.sql.rows<EventRow>(this.pageOfWorkspace, values)).map(toRecordedEvent);
  }

  /** @param position of an event, which may have been removed */
  async cursorState(position: string): Promise<CursorState> {
    const row = await this.cursorStates.load(position);
    if (row === undefined) throw new Error('The table event_log has no row');
    const { pruned, next, id, xid } = row;
    const found = id === null || xid === null ? null : { id, xid: BigInt(xid) };
    return { pruned: BigInt(pruned), next: BigInt(next), found };
  }
}

import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { batchQuery, BatchLoader, many, one } from '../database/batch-loader.js';
import type { Statement } from '../database/sql.js';
import { Sql, statement } from '../database/sql.js';
import type { EventRow } from './event-row.js';
import { EVENT_COLUMNS, EVENT_METADATA, EVENT_PAYLOAD, toRecordedEvent } from './event-row.js';
import type { PageRange } from './log-cursor.js';
import type { EventMark } from './watermark.js';
import { markOf } from './watermark.js';

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
  SELECT newest.xid::text AS newest_xid, newest.position::text AS newest_position, newest.id AS newest_id,
         settled.first::text AS first, settled.last::text AS last
  FROM snapshot CROSS JOIN LATERAL (
    SELECT xid, position, id FROM event
    WHERE xid >= $1::xid8 AND xid < snapshot.horizon ORDER BY event.xid DESC, event.position DESC LIMIT 1
  ) AS newest CROSS JOIN LATERAL (
    SELECT min(position) AS first, max(position) FILTER (WHERE xid <= newest.xid) AS last
    FROM event WHERE xid >= $1::xid8
  ) AS settled`);

/** Payloads of so many bytes are read at once, and the one that exceeds it: at first, and then in each page. */
const HEAD_BYTES = 64 * 1024;
export const PAGE_BYTES = 256 * 1024;

/**
 * The bytes of a payload as JSON, about. What is not compressed takes as many as text; what is would be many times
 * larger, and is looked at.
 */
const PAYLOAD_BYTES = `CASE WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload)
  ELSE octet_length(payload::text) END`;

type Since = [workspaceId: string, since: string, types: string, limit: number, conversationIds: string | null];
const SINCE = { workspace_id: 'uuid', since: 'xid8', types: 'text', most: 'integer', conversation_ids: 'text' };
const recent = (which: string): readonly [Statement, Statement] =>
  batchQuery(
    SINCE,
    from => `
      SELECT asked.place, missed.* FROM ${from} CROSS JOIN LATERAL (
        SELECT ${EVENT_METADATA}, bytes,
               CASE WHEN bytes_through - bytes < ${HEAD_BYTES} THEN ${EVENT_PAYLOAD} END AS payload
        FROM (
          SELECT event.*, sum(bytes) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS bytes_through
          FROM (
            SELECT event.*, ${PAYLOAD_BYTES} AS bytes FROM event WHERE ${which} LIMIT asked.most
          ) AS event
        ) AS event
      ) AS missed`,
  );
const HAPPENED = `event.workspace_id = asked.workspace_id AND xid >= asked.since AND type = ANY(asked.types::text[])`;

/**
 * What has happened in a workspace since a transaction's number, settled or not: for one who listens already, and who
 * therefore misses nothing that appears behind it. Unsorted within the limit, for what exceeds it is not asked for.
 */
const RECENT = recent(HAPPENED);

/**
 * The same of some conversations, from their own index. `IS TRUE` keeps the others from being used: of what was written
 * last PostgreSQL has no statistics, takes it for next to nothing, and would read the whole log since then, everybody's.
 */
const OF_CONVERSATIONS = `conversation_id = ANY(asked.conversation_ids::uuid[]) AND (${HAPPENED}) IS TRUE`;
const RECENT_OF_CONVERSATIONS = recent(OF_CONVERSATIONS);

/** A page of what lies between two positions, of one workspace. */
const PAGE_OF_WORKSPACE = statement(`
  SELECT ${EVENT_COLUMNS} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3) AND position > $4 AND position <= $5
  ORDER BY event.position LIMIT $6`);

/** A page of what was missed; some of its events may have been removed by retention meanwhile. */
const BY_POSITION = statement(
  `SELECT ${EVENT_COLUMNS} FROM event WHERE position = ANY($1::bigint[]) ORDER BY event.position`,
);

/** What there is to judge by whether a place in the log can still be read on from. */
const CURSOR_STATE = batchQuery(
  { position: 'bigint' },
  from => `
    SELECT asked.place, pruned_xid::text AS pruned, pg_snapshot_xmax(pg_current_snapshot())::text AS next,
           event.id AS id, event.xid::text AS xid
    FROM event_log CROSS JOIN ${from} LEFT JOIN event ON event.position = asked.position`,
);

/** Locks tell numbers without the epoch that xid8 adds. */
const BLOCKER = statement(`
  SELECT pg_locks.pid, pg_stat_activity.usename AS user FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted AND pg_locks.pid IS NOT NULL
    AND transactionid::text = ($1::bigint & 4294967295)::text`);

/** A range of events that have settled: before its end nothing can appear any more. */
export interface SettledRange {
  /** Of the event with the highest transaction number. */
  newest: EventMark;
  /** Where the range ends, as a transaction's number. */
  horizon: string;
  /** The positions between which its events lie. */
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

/** The log, as far as it concerns one cursor. */
export interface CursorState {
  /** The highest transaction number of which retention has removed an event. */
  pruned: bigint;
  /** The number that the next transaction gets, or a lower one. */
  next: bigint;
  /** The event at the position that was asked for. */
  found: { id: string; xid: bigint } | null;
}

/** An event that was missed and has not been read yet. */
export interface EventRef {
  id: string;
  xid: string;
  position: string;
  /** Of its payload as JSON, about. */
  bytes: number;
}

/** In order of position: the first events, of some 64 KiB, then the others. */
export interface MissedEvents {
  events: RecordedEvent[];
  rest: EventRef[];
  /** Of all payloads, about. */
  bytes: number;
}

/** A row whose payload is only there where it is among the first. */
type MissedRow = Omit<EventRow, 'payload'> & { payload: EventRow['payload'] | null; bytes: number };

const isRead = (row: MissedRow): row is MissedRow & EventRow => row.payload !== null;

/** What is read from the log by those who hear of what happens. */
@Injectable()
export class EventReadingRepository {
  private readonly recents: BatchLoader<Since, MissedRow[]>;
  private readonly recentsOfConversations: BatchLoader<Since, MissedRow[]>;
  private readonly cursorStates: BatchLoader<[position: string], CursorStateRow>;

  constructor(private readonly sql: Sql) {
    this.recents = new BatchLoader(many(sql, ...RECENT));
    this.recentsOfConversations = new BatchLoader(many(sql, ...RECENT_OF_CONVERSATIONS));
    this.cursorStates = new BatchLoader(one(sql, ...CURSOR_STATE));
  }

  /** What the transactions wrote that have ended between a number and the oldest one that is open; null: nothing. */
  async settledSince(since: string): Promise<SettledRange | null> {
    const row = await this.sql.first<SettledRow>(SETTLED_SINCE, [since]);
    if (!row) return null;
    const newest = { position: row.newest_position, mark: markOf(row.newest_id) };
    return { newest, horizon: (BigInt(row.newest_xid) + 1n).toString(), first: row.first, last: row.last };
  }

  /** The server process whose transaction keeps the horizon at this number; null where none is seen. */
  async findBlocker(horizon: string): Promise<{ pid: number; user: string | null } | null> {
    return (await this.sql.first<{ pid: number; user: string | null }>(BLOCKER, [horizon])) ?? null;
  }

  /** @param conversationIds null: of the whole workspace @returns at most `limit` events */
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

  /** The events at these positions, in order, without those that retention has removed. */
  async findByPosition(positions: readonly string[]): Promise<RecordedEvent[]> {
    return (await this.sql.rows<EventRow>(BY_POSITION, [positions])).map(toRecordedEvent);
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

  /** @param position of an event that may be there */
  async cursorState(position: string): Promise<CursorState> {
    const row = await this.cursorStates.load(position);
    if (row === undefined) throw new Error('the event log has no row of its own');
    const { pruned, next, id, xid } = row;
    const found = id === null || xid === null ? null : { id, xid: BigInt(xid) };
    return { pruned: BigInt(pruned), next: BigInt(next), found };
  }
}

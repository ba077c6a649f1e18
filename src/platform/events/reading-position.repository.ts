import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import type { Statement } from '../database/sql.service.js';
import { SqlService, statement } from '../database/sql.service.js';
import type { OutOfOrderPair } from './safe-upper-bound.js';
import type { EventRow } from './event-row.js';
import { EventColumnsService } from './event-columns.service.js';
import { toRecordedEvent } from './event-row.js';

/**
 * The position of an event consumer: it has read all transactions below `since`, and of those below `horizon` all
 * events up to `position`. `passed` lists later positions that were also read; it is not empty only after the log was
 * moved to another cluster.
 */
export interface ReadingPosition {
  since: string;
  horizon: string;
  position: string;
  passed: string[];
}

/** The part of the log that one unit of work handles, up to the position `end`; to the end of the range for null. */
export interface EventRange extends ReadingPosition {
  end: string | null;
}

/** Which events a consumer loads. */
export interface EventSelection {
  types: readonly EventType[];
  /** SQL on the columns of `event`. */
  condition: string;
}

/** An event with its origin, which only event consumers see. */
export interface LoggedEvent extends RecordedEvent {
  address: string | null;
  userAgent: string | null;
}

const MAX_POSITION = '9223372036854775807';

const BEGIN = statement(`INSERT INTO event_reader (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`);
const BEGIN_AT_END = statement(`
  INSERT INTO event_reader (name, since, horizon)
  SELECT $1, settled, settled FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled) AS log
  ON CONFLICT (name) DO NOTHING`);

/**
 * SQL that is true for the events of a range, whose values `rangeValues` returns as $1 to $5.
 *
 * `IS TRUE` prevents the use of an index on `position`: in a prepared plan that does not know the values, PostgreSQL
 * would read the whole log after position 0.
 */
export const IS_IN_RANGE = `event.xid >= $1::xid8 AND event.xid < $2::xid8 AND (event.position > $3::bigint
  AND event.position <= coalesce($4::bigint, ${MAX_POSITION}) AND event.position <> ALL($5::bigint[])) IS TRUE`;

export function rangeValues({ since, horizon, position, end, passed }: EventRange): unknown[] {
  return [since, horizon, position, end, passed];
}

/**
 * Finds the first unread event. It sorts and limits, because PostgreSQL would answer an EXISTS with a table scan
 * instead of the index.
 */
const BEHIND = statement(`
  SELECT since <> horizon OR COALESCE(first.xid < pg_snapshot_xmin(pg_current_snapshot()), false) AS behind,
         COALESCE(extract(epoch FROM clock_timestamp() - first.recorded_at), 0)::float8 AS lag
  FROM event_reader LEFT JOIN LATERAL (
    SELECT event.xid, event.recorded_at FROM event
    WHERE event.xid >= since AND (event.xid >= horizon OR (event.position > event_reader.position))
    ORDER BY event.xid, event.position LIMIT 1
  ) AS first ON true
  WHERE name = $1`);

const CLAIM = statement(`
  SELECT since::text AS since, horizon::text AS horizon, position::text AS position, passed::text[] AS passed
  FROM event_reader WHERE name = $1 FOR UPDATE SKIP LOCKED`);

/**
 * Finds how far the log has settled and all out-of-order pairs of conversations since a horizon, if at most `$2` events
 * follow it. Both events of a pair follow it: the earlier one has the higher transaction number.
 */
const AHEAD_TO_END = statement(`
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled),
  following AS MATERIALIZED (
    SELECT xid, position, conversation_id FROM event WHERE xid >= $1::xid8 ORDER BY xid, position LIMIT $2::int + 1
  )
  SELECT settled::text AS settled, settled::text AS bound, coalesce(first < settled, false) AS has_events, ARRAY(
    SELECT earlier_xid || ' ' || xid FROM (
      SELECT xid, lag(xid) OVER (PARTITION BY conversation_id ORDER BY position) AS earlier_xid
      FROM following WHERE conversation_id IS NOT NULL
    ) AS later WHERE earlier_xid > xid
  ) AS out_of_order
  FROM snapshot CROSS JOIN (SELECT count(*) AS events, min(xid) AS first FROM following) AS tail
  WHERE events <= $2::int`);

/**
 * Finds the end of a range that starts at a horizon and has about `$2` events, how far the log has settled, and the
 * out-of-order pairs of conversations in the range. It looks up the predecessor of each event, because it does not read
 * the rest of the log.
 */
const AHEAD = statement(`
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled),
  marked AS (SELECT xid FROM event WHERE xid >= $1::xid8 ORDER BY xid, position OFFSET $2 LIMIT 1),
  range AS MATERIALIZED (
    SELECT settled, LEAST(settled, COALESCE((SELECT xid FROM marked), settled)) AS bound FROM snapshot
  )
  SELECT range.settled::text AS settled, range.bound::text AS bound, COALESCE((
    SELECT xid FROM event WHERE xid >= $1::xid8 ORDER BY xid, position LIMIT 1
  ) < range.bound, false) AS has_events, ARRAY(
    SELECT earlier.xid || ' ' || later.xid
    FROM event AS later CROSS JOIN LATERAL (
      SELECT xid FROM event
      WHERE conversation_id = later.conversation_id AND position < later.position
      ORDER BY position DESC LIMIT 1
    ) AS earlier
    WHERE later.xid >= $1::xid8 AND later.xid < range.bound AND earlier.xid > later.xid
  ) AS out_of_order
  FROM range`);

const page = ({ all }: EventColumnsService, condition: string): Statement =>
  statement(`
  SELECT ${all}, address, user_agent FROM event
  WHERE ${IS_IN_RANGE} AND type = ANY($6) AND (${condition})
  ORDER BY event.position LIMIT $7`);

const MOVE = statement(`
  UPDATE event_reader SET since = $2::xid8, horizon = $3::xid8, position = $4, passed = $5::bigint[] WHERE name = $1`);

/** The progress of an event consumer. */
export interface ReadingProgress {
  behind: boolean;
  /** The age of the first unread event in seconds; 0 when there is none. */
  lag: number;
}

/** The unread part of the log. Bounds are transaction numbers. */
export interface Ahead {
  settled: bigint;
  bound: bigint;
  /** True when there are events below `bound`. */
  hasEvents: boolean;
  outOfOrder: OutOfOrderPair[];
}

/** Stores the positions of event consumers and reads their next events. */
@Injectable()
export class ReadingPositionRepository {
  /** By condition, of which each consumer has one. */
  private readonly pageStatements = new Map<string, Statement>();

  constructor(
    private readonly sql: SqlService,
    private readonly columns: EventColumnsService,
  ) {}

  /** Creates the consumer's position at the beginning or the end of the log if it has none. */
  async register(name: string, atEnd: boolean): Promise<void> {
    await this.sql.count(atEnd ? BEGIN_AT_END : BEGIN, [name]);
  }

  /** @returns null when the consumer is not registered */
  async findProgress(name: string): Promise<ReadingProgress | null> {
    return (await this.sql.first<ReadingProgress>(BEHIND, [name])) ?? null;
  }

  /** Locks the position until the unit of work ends. @returns null while another instance reads */
  async claim(name: string): Promise<ReadingPosition | null> {
    return (await this.sql.first<ReadingPosition>(CLAIM, [name])) ?? null;
  }

  /** @param events the approximate size of the range */
  async findAhead(since: string, events: number): Promise<Ahead> {
    type Row = { settled: string; bound: string; has_events: boolean; out_of_order: string[] };
    const values = [since, events];
    const row = (await this.sql.first<Row>(AHEAD_TO_END, values)) ?? (await this.sql.first<Row>(AHEAD, values));
    if (!row) throw new Error('The query of the event log returned no row');
    const outOfOrder = row.out_of_order.map(pair => {
      const [earlier = 0n, later = 0n] = pair.split(' ').map(BigInt);
      return { earlier, later };
    });
    return { settled: BigInt(row.settled), bound: BigInt(row.bound), hasEvents: row.has_events, outOfOrder };
  }

  async findPage(
    current: ReadingPosition,
    { types, condition }: EventSelection,
    limit: number,
  ): Promise<LoggedEvent[]> {
    type Row = EventRow & { address: string | null; user_agent: string | null };
    const select = this.pageStatements.get(condition) ?? page(this.columns, condition);
    this.pageStatements.set(condition, select);
    const rows = await this.sql.rows<Row>(select, [...rangeValues({ ...current, end: null }), types, limit]);
    return rows.map(row => ({ ...toRecordedEvent(row), address: row.address, userAgent: row.user_agent }));
  }

  /** Part of the unit of work that handles the events. */
  async savePosition(name: string, { since, horizon, position, passed }: ReadingPosition): Promise<void> {
    await this.sql.count(MOVE, [name, since, horizon, position, passed]);
  }
}

import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { Sql, statement } from '../database/sql.js';
import type { OutOfOrderPair } from './safe-upper-bound.js';
import type { EventRow } from './event-row.js';
import { EVENT_COLUMNS, toRecordedEvent } from './event-row.js';

/**
 * Where a durable reader is: everything of a transaction before `since` has been read, and of those before `horizon`
 * everything up to `position`. `passed` are positions behind that which have been read all the same: there are some
 * only after the log has moved to another cluster.
 */
export interface ReadingPosition {
  since: string;
  horizon: string;
  position: string;
  passed: string[];
}

/** An event with all that the log has of it: also from where it was done, which nobody else is told. */
export interface LoggedEvent extends RecordedEvent {
  address: string | null;
  userAgent: string | null;
}

const BEGIN = statement(`INSERT INTO event_reader (name) VALUES ($1) ON CONFLICT (name) DO NOTHING`);

/**
 * Sorted, so that the first is looked up in the index; whether there is any would be looked for in the table. Amid a
 * range the first that is behind the position counts, for what comes before it has been read.
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
 * How far a range may go that begins at a horizon and holds about so many events, how far the log has settled at all,
 * and where in that range neighbours of a conversation have overtaken each other.
 */
const AHEAD = statement(`
  WITH snapshot AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled),
  marked AS (SELECT xid FROM event WHERE xid >= $1::xid8 ORDER BY xid, position OFFSET $2 LIMIT 1),
  range AS (
    SELECT settled, LEAST(settled, COALESCE((SELECT xid FROM marked), settled)) AS bound FROM snapshot
  )
  SELECT range.settled::text AS settled, range.bound::text AS bound, COALESCE((
    SELECT xid FROM event WHERE xid >= $1::xid8 ORDER BY xid, position LIMIT 1
  ) < range.bound, false) AS any, ARRAY(
    SELECT earlier.xid || ' ' || later.xid
    FROM event AS later CROSS JOIN LATERAL (
      SELECT xid FROM event
      WHERE conversation_id = later.conversation_id AND position < later.position
      ORDER BY position DESC LIMIT 1
    ) AS earlier
    WHERE later.xid >= $1::xid8 AND later.xid < range.bound AND earlier.xid > later.xid
  ) AS overtakings
  FROM range`);

const PAGE = statement(`
  SELECT ${EVENT_COLUMNS}, address, user_agent FROM event
  WHERE xid >= $1::xid8 AND xid < $2::xid8 AND position > $3 AND position <> ALL($4::bigint[]) AND type = ANY($5)
  ORDER BY event.position LIMIT $6`);

const MOVE = statement(`
  UPDATE event_reader SET since = $2::xid8, horizon = $3::xid8, position = $4, passed = $5::bigint[] WHERE name = $1`);

/** How far a reader has come. */
export interface ReadingProgress {
  behind: boolean;
  /** In seconds; 0 where everything has been read. */
  lag: number;
}

/** What there is to read, as far as one look goes. */
export interface Ahead {
  settled: bigint;
  bound: bigint;
  /** Whether there is any event before `bound`. */
  any: boolean;
  overtakings: OutOfOrderPair[];
}

/** Where the durable readers are in the log, and what comes next for them. */
@Injectable()
export class ReadingPositionRepository {
  constructor(private readonly sql: Sql) {}

  /** A reader that nobody has seen before begins with the log. */
  async register(name: string): Promise<void> {
    await this.sql.count(BEGIN, [name]);
  }

  /** Whether anything has settled that the reader has not passed, and how old the first event is that it has not read. */
  async findProgress(name: string): Promise<ReadingProgress | null> {
    return (await this.sql.first<ReadingProgress>(BEHIND, [name])) ?? null;
  }

  /** Locked until the unit of work ends; null while another instance reads. */
  async claim(name: string): Promise<ReadingPosition | null> {
    return (await this.sql.first<ReadingPosition>(CLAIM, [name])) ?? null;
  }

  /** @param events about how many to look over */
  async findAhead(since: string, events: number): Promise<Ahead> {
    type Row = { settled: string; bound: string; any: boolean; overtakings: string[] };
    const row = await this.sql.first<Row>(AHEAD, [since, events]);
    if (!row) throw new Error('the event log told nothing of itself');
    const overtakings = row.overtakings.map(pair => {
      const [earlier = 0n, later = 0n] = pair.split(' ').map(BigInt);
      return { earlier, later };
    });
    return { settled: BigInt(row.settled), bound: BigInt(row.bound), any: row.any, overtakings };
  }

  async findPage(place: ReadingPosition, types: readonly EventType[], limit: number): Promise<LoggedEvent[]> {
    type Row = EventRow & { address: string | null; user_agent: string | null };
    const { since, horizon, position, passed } = place;
    const rows = await this.sql.rows<Row>(PAGE, [since, horizon, position, passed, types, limit]);
    return rows.map(row => ({ ...toRecordedEvent(row), address: row.address, userAgent: row.user_agent }));
  }

  /** Commits with what the reader has made of the events. */
  async savePosition(name: string, { since, horizon, position, passed }: ReadingPosition): Promise<void> {
    await this.sql.count(MOVE, [name, since, horizon, position, passed]);
  }
}

import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { Sql, statement } from '../database/sql.js';
import type { EventRow } from './event-row.js';
import { EVENT_COLUMNS, toRecordedEvent } from './event-row.js';
import type { PageRange } from './log-cursor.js';

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
  SELECT ${EVENT_COLUMNS} FROM event WHERE xid >= $1::xid8 AND position >= $2 AND position <= $3
  ORDER BY event.position LIMIT $4`);
const PAGE_SIZE = 200;

/**
 * What has happened in a workspace since a transaction's number, settled or not: for one who listens already, and who
 * therefore misses nothing that appears behind it. Unsorted within the limit, for what exceeds it is not asked for.
 */
const RECENT = statement(`
  SELECT ${EVENT_COLUMNS} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3)
    AND ($4::uuid[] IS NULL OR conversation_id = ANY($4))
  LIMIT $5`);

/** A page of what lies between two positions, of one workspace. */
const PAGE_OF_WORKSPACE = statement(`
  SELECT ${EVENT_COLUMNS} FROM event
  WHERE workspace_id = $1 AND xid >= $2::xid8 AND type = ANY($3) AND position > $4 AND position <= $5
  ORDER BY event.position LIMIT $6`);

/** Whether a place in the log can still be read on from, and is one that this log has come to. */
const STANDING = statement(`
  SELECT $1::xid8 > pruned_xid AS kept, $1::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) AS reached FROM event_log`);

const IDENTITY = statement(`
  SELECT log.id || '/' || system.system_identifier || '/' || checkpoint.timeline_id AS identity
  FROM event_log log, pg_control_system() system, pg_control_checkpoint() checkpoint`);

/** What has settled between two horizons: before one (the oldest transaction still open) nothing can appear any more. */
export interface SettledRange {
  since: string;
  horizon: string;
  /** Of the first event and the last; null when there is none. */
  first: string | null;
  last: string | null;
}

const NOWHERE = { kept: false, reached: false };

/** What is read from the log by those who hear of what happens. */
@Injectable()
export class EventReadingRepository {
  constructor(private readonly sql: Sql) {}

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

  /** Names this very log: a restored dump or a failover answers another one. */
  async identity(): Promise<string> {
    return (await this.sql.first<{ identity: string }>(IDENTITY))?.identity ?? '';
  }
}

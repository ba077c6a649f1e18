import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { Statement } from '../database/sql.service.js';
import { SqlService, statement } from '../database/sql.service.js';
import { LOG_IDENTITY } from './epoch.repository.js';
import type { EventRow } from './event-row.js';
import { EventColumnsService } from './event-columns.service.js';
import { toRecordedEvent } from './event-row.js';
import { NO_EVENT } from './log-cursor.js';
import type { EventMark, NewestEvent, Snapshot } from './watermark.js';
import { markOf, readSnapshot, Watermark } from './watermark.js';

/** New events that one statement returns. If there are more, their keys are read page by page. */
const HEAD = 64;
const KEYS_PAGE = 2_000;
const EVENTS_PAGE = 200;

const KEY = `event.xid || ' ' || event.position || ' ' || event.id`;

const BEGIN = statement(`
  SELECT pg_current_snapshot()::text AS snapshot, ${LOG_IDENTITY} AS identity, pruned_xid::text AS pruned,
         (SELECT ${KEY} FROM event ORDER BY event.xid DESC, event.position DESC LIMIT 1) AS newest
  FROM event_log`);

/**
 * Reads new events. It runs several times a second on every instance and mostly finds nothing.
 *
 * It sorts and limits, so that PostgreSQL caches one generic index plan. With a bare range or an array of unknown
 * length it would plan every time, which costs more than the query.
 */
const look = (late: string) =>
  statement(`
  SELECT pg_current_snapshot()::text AS snapshot, ${LOG_IDENTITY} AS identity, pruned_xid::text AS pruned,
         (SELECT xid || ' ' || position || ' ' || id FROM event WHERE position = $2) AS proof,
         ARRAY(
           SELECT ${KEY} FROM event WHERE event.xid > $1::xid8 ORDER BY event.xid, event.position LIMIT ${HEAD}
         ) AS ahead, ${late} AS late
  FROM event_log`);
const LOOK = look(`'{}'::text[]`);
const LOOK_BEHIND = look(`ARRAY(
           SELECT committed.key FROM unnest($3::xid8[]) AS open (xid) CROSS JOIN LATERAL (
             SELECT ${KEY} AS key FROM event
             WHERE event.xid >= open.xid AND event.xid <= open.xid ORDER BY event.xid, event.position LIMIT ${HEAD}
           ) AS committed
         )`);

/** Materialised, because PostgreSQL would otherwise scan the table from its beginning to get the order by position. */
const KEYS = statement(`
  WITH event AS MATERIALIZED (
    SELECT xid, position, id FROM event WHERE xid > $1::xid8
    UNION ALL SELECT xid, position, id FROM event WHERE xid = ANY($2::xid8[])
  )
  SELECT ${KEY} AS key FROM event
  WHERE event.position > $3 AND pg_visible_in_snapshot(event.xid, $4::pg_snapshot)
  ORDER BY event.position LIMIT ${KEYS_PAGE}`);

/** The positions are one text, because PostgreSQL would plan again for each array length. */
const eventsAt = ({ all }: EventColumnsService): Statement =>
  statement(`
  SELECT ${all} FROM event WHERE position = ANY($1::text::bigint[]) ORDER BY event.position`);

/** An event without its content. */
export interface EventKey {
  xid: bigint;
  position: string;
  id: string;
}

/** The state of the log in one snapshot, with the first of its new events. */
export interface LogState {
  snapshot: Snapshot;
  identity: string;
  pruned: bigint;
  /** The event at the position of the known one; null where there is none. */
  proof: EventKey | null;
  /** In order of position; at least `HEAD` of them when there may be more. */
  head: EventKey[];
}

type Row = { snapshot: string; identity: string; pruned: string };

/** The queries with which an instance follows the log. */
@Injectable()
export class EventTailRepository {
  private readonly eventsAt: Statement;

  constructor(
    private readonly sql: SqlService,
    columns: EventColumnsService,
  ) {
    this.eventsAt = eventsAt(columns);
  }

  /** @returns a watermark at the current end of the log */
  async begin(): Promise<{ identity: string; watermark: Watermark }> {
    const row = assertRow(await this.sql.first<Row & { newest: string | null }>(BEGIN));
    const newest = row.newest === null ? { xid: BigInt(row.pruned), ...NO_EVENT } : newestOf(readKey(row.newest));
    return { identity: row.identity, watermark: new Watermark(newest, readSnapshot(row.snapshot).open) };
  }

  /**
   * Finds events committed since the watermark, even while an older transaction is still open.
   * @param known an event that the log must still contain
   */
  async look({ newest, unread }: Watermark, known: EventMark): Promise<LogState> {
    type Found = Row & { proof: string | null; ahead: string[]; late: string[] };
    const values = [`${newest.xid}`, known.position, ...(unread.length > 0 ? [unread.map(String)] : [])];
    const row = assertRow(await this.sql.first<Found>(unread.length > 0 ? LOOK_BEHIND : LOOK, values));
    const head = [...row.ahead, ...row.late].map(readKey).sort(byPosition);
    const proof = row.proof === null ? null : readKey(row.proof);
    const { identity, pruned } = row;
    return { snapshot: readSnapshot(row.snapshot), identity, pruned: BigInt(pruned), proof, head };
  }

  /**
   * Reads the keys of all events that are visible in the snapshot and not covered by the watermark, once each, in order
   * of position. Positions are assigned under the conversation's lock, so the visible events of a conversation have no
   * gaps and this is their order.
   */
  async *keys({ newest, unread }: Watermark, { snapshot, head }: LogState): AsyncGenerator<EventKey[]> {
    if (head.length < HEAD) return yield head;
    let page: EventKey[] = [];
    do {
      const values = [`${newest.xid}`, unread.map(String), page.at(-1)?.position ?? '0', snapshot.text];
      page = (await this.sql.rows<{ key: string }>(KEYS, values)).map(({ key }) => readKey(key));
      yield page;
    } while (page.length === KEYS_PAGE);
  }

  /** Reads events in pages, in order of position. */
  async *read(keys: readonly EventKey[]): AsyncGenerator<RecordedEvent[]> {
    for (let start = 0; start < keys.length; start += EVENTS_PAGE) {
      const positions = keys.slice(start, start + EVENTS_PAGE).map(({ position }) => position);
      yield (await this.sql.rows<EventRow>(this.eventsAt, [`{${positions.join(',')}}`])).map(toRecordedEvent);
    }
  }
}

export function newestOf({ xid, position, id }: { xid: string | bigint; position: string; id: string }): NewestEvent {
  return { xid: BigInt(xid), position, mark: markOf(id) };
}

function readKey(text: string): EventKey {
  const [xid = '0', position = '0', id = ''] = text.split(' ');
  return { xid: BigInt(xid), position, id };
}

function byPosition(one: EventKey, other: EventKey): number {
  return BigInt(one.position) < BigInt(other.position) ? -1 : 1;
}

function assertRow<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('The table event_log has no row');
  return row;
}

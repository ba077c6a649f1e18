import { Injectable } from '@nestjs/common';
import type { EventType, RecordedEvent } from '../../kernel/domain-event.js';
import { asked, GatheredReads, listOf, readingOf } from '../database/gathered-reads.js';
import type { Statement } from '../database/sql.js';
import { Sql, statement } from '../database/sql.js';
import type { EventRow } from './event-row.js';
import { EVENT_COLUMNS, toRecordedEvent } from './event-row.js';
import { LOG_IDENTITY } from './epoch.repository.js';
import type { PageRange } from './log-cursor.js';

const STANDPOINT = statement(`
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, ${LOG_IDENTITY} AS identity`);

/**
 * How far the log has settled since a horizon, and between which positions that is: read from an index alone.
 *
 * Transactions draw their numbers before they wait for a conversation's lock, so an event can have a lower number than
 * the one before it, and the horizon of a third transaction can fall between the two. So the positions begin with the
 * first event that there is, settled or not: then the earlier one, which was committed before the later one could be
 * written, is read with it although its number has not settled.
 */
const SETTLED_SINCE = statement(`
  WITH snapshot AS MATERIALIZED (
    SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon, pg_snapshot_xmax(pg_current_snapshot()) AS next
  )
  SELECT snapshot.horizon::text AS horizon, snapshot.horizon < snapshot.next AS held, ${LOG_IDENTITY} AS identity,
         settled.first::text AS first, settled.last::text AS last
  FROM snapshot CROSS JOIN LATERAL (
    SELECT min(position) AS first, max(position) FILTER (WHERE xid < snapshot.horizon) AS last
    FROM event WHERE xid >= $1::xid8 AND snapshot.horizon > $1::xid8
  ) AS settled`);

/**
 * A page of what lies between two positions, but for those that are known: they are looked up in a hash, whereas a member
 * of an array is looked for one by one where the plan is a prepared one. It needs no snapshot in common with the
 * statement above: what had settled then is there for good, and an event that appears between them later follows only
 * what was there to be read before.
 */
const PAGE = statement(`
  SELECT ${EVENT_COLUMNS} FROM event
  WHERE xid >= $1::xid8 AND position >= $2 AND position <= $3 AND id NOT IN (SELECT unnest($5::uuid[]))
  ORDER BY event.position LIMIT $4`);
const PAGE_SIZE = 200;
/** So many names are handed to a statement; what else the reader knows already is read in vain. */
const MOST_KNOWN = 5_000;

type Since = [workspaceId: string, since: string, types: string, limit: number, conversationIds: string | null];
const SINCE = { workspace_id: 'uuid', since: 'xid8', types: 'text', most: 'integer', conversation_ids: 'text' };
const recent = (which: string): readonly [Statement, Statement] =>
  asked(
    SINCE,
    from => `
      SELECT asked.place, missed.* FROM ${from}
      CROSS JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM event WHERE ${which} LIMIT asked.most) AS missed`,
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

/** Whether a place in the log can still be read on from, and is one that this log has come to. */
const STANDING = asked(
  { since: 'xid8' },
  from => `
    SELECT asked.place, since > pruned_xid AS kept, since <= pg_snapshot_xmax(pg_current_snapshot()) AS reached
    FROM event_log CROSS JOIN ${from}`,
);

/** Locks tell numbers without the epoch that xid8 adds. */
const HOLDER = statement(`
  SELECT pg_locks.pid, pg_stat_activity.usename AS user FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted AND pg_locks.pid IS NOT NULL
    AND transactionid::text = ($1::bigint & 4294967295)::text`);

/** What has settled between two horizons: before one (the oldest transaction still open) nothing can appear any more. */
export interface SettledRange {
  since: string;
  horizon: string;
  /** Of the first event and the last; null when there is none. */
  first: string | null;
  last: string | null;
  /** Whether a transaction is open that keeps the horizon where it is. */
  held: boolean;
  /** Of the log that was asked. */
  identity: string;
}

interface Standing {
  kept: boolean;
  reached: boolean;
}

const NOWHERE: Standing = { kept: false, reached: false };

/** What is read from the log by those who hear of what happens. */
@Injectable()
export class EventReadingRepository {
  private readonly recents: GatheredReads<Since, EventRow[]>;
  private readonly recentsOfConversations: GatheredReads<Since, EventRow[]>;
  private readonly standings: GatheredReads<[since: string], Standing>;

  constructor(private readonly sql: Sql) {
    this.recents = new GatheredReads(listOf(sql, ...RECENT));
    this.recentsOfConversations = new GatheredReads(listOf(sql, ...RECENT_OF_CONVERSATIONS));
    this.standings = new GatheredReads(readingOf(sql, ...STANDING));
  }

  /** Where the log stands, and which one it is. */
  async standpoint(): Promise<{ horizon: string; identity: string }> {
    return this.only(await this.sql.first<{ horizon: string; identity: string }>(STANDPOINT));
  }

  /** What the transactions wrote that have ended between a horizon and the present one. */
  async settledSince(since: string): Promise<SettledRange> {
    const range = this.only(await this.sql.first<Omit<SettledRange, 'since'>>(SETTLED_SINCE, [since]));
    return { since, ...range };
  }

  /** The server process whose transaction keeps the horizon at this number; null where none is seen. */
  async holder(horizon: string): Promise<{ pid: number; user: string | null } | null> {
    return (await this.sql.first<{ pid: number; user: string | null }>(HOLDER, [horizon])) ?? null;
  }

  /**
   * Every event of the range in order of position, a page at a time; with those that lie between although they have not
   * settled, which will come again with their own range.
   * @param known ids of events that the reader has no need of: to read and parse those again would cost it more than all
   *   else that it does here, and nearly all came by the fanout
   */
  async *read({ since, first, last }: SettledRange, known: readonly string[] = []): AsyncGenerator<RecordedEvent[]> {
    const without = known.slice(0, MOST_KNOWN);
    let from = first;
    while (from !== null && last !== null) {
      const rows: EventRow[] = await this.sql.rows<EventRow>(PAGE, [since, from, last, PAGE_SIZE, without]);
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
    const reads = conversationIds === null ? this.recents : this.recentsOfConversations;
    const ids = conversationIds && `{${conversationIds.join(',')}}`;
    const rows = (await reads.ask(workspaceId, since, `{${types.join(',')}}`, limit, ids)) ?? [];
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

  async standing(since: string): Promise<Standing> {
    return (await this.standings.ask(since)) ?? NOWHERE;
  }

  private only<T>(row: T | undefined): T {
    if (row === undefined) throw new Error('the event log told nothing of itself');
    return row;
  }
}

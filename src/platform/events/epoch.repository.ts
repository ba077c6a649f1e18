import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../database/sql.service.js';
import { UnitOfWork } from '../database/unit-of-work.js';

/**
 * SQL that identifies the cluster and the database, within which transaction numbers are unique. A restored dump keeps
 * the log's id, but its transaction numbers are those of another cluster.
 */
const HOME = `(SELECT system_identifier FROM pg_control_system()) || '/'
  || (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * SQL of the timeline. A failover keeps the home but can lose the last commits, and starts a new timeline.
 *
 * The new value appears with the first checkpoint, seconds later. Open sockets then get `sync.required`, so that no
 * client keeps events that were lost.
 */
const TIMELINE = `(SELECT timeline_id FROM pg_control_checkpoint())`;

/** SQL that identifies the log. It changes after a restore of a dump and after a failover. */
export const LOG_IDENTITY = `(SELECT id || '/' || ${HOME} || '/' || ${TIMELINE} FROM event_log)`;

const MOVED = statement(`SELECT home IS DISTINCT FROM ${HOME} AS moved FROM event_log`);
const STOP_READERS = statement(`LOCK TABLE event_reader IN EXCLUSIVE MODE`);

/**
 * Adopts a log from another database: all its events get the number of one settled transaction, and every event
 * consumer continues within it in order of position, without skipping or repeating an event.
 *
 * It is one statement, so that all parts see the same snapshot. Concurrent writes get higher transaction numbers.
 */
const ADOPT_MOVED_LOG = statement(
  `
  WITH actual AS MATERIALIZED (SELECT ${HOME} AS home, pg_snapshot_xmin(pg_current_snapshot()) AS horizon),
  log AS MATERIALIZED (
    SELECT home FROM event_log WHERE home IS DISTINCT FROM (SELECT home FROM actual) FOR UPDATE
  ),
  moved AS MATERIALIZED (
    SELECT horizon, (horizon::text::bigint - 1)::text::xid8 AS settled FROM actual, log WHERE log.home IS NOT NULL
  ),
  unread AS MATERIALIZED (
    SELECT reader.name, event.position FROM moved CROSS JOIN event_reader AS reader JOIN event
      ON event.xid >= reader.horizon OR (event.xid >= reader.since
        AND event.position > reader.position AND event.position <> ALL(reader.passed))
  ),
  resume AS MATERIALIZED (
    SELECT name, COALESCE(
      (SELECT min(unread.position) - 1 FROM unread WHERE unread.name = event_reader.name),
      (SELECT max(event.position) FROM event), 0
    ) AS position FROM event_reader
  ),
  readers AS (
    UPDATE event_reader AS reader
    SET since = moved.settled, horizon = moved.horizon, position = resume.position, passed = ARRAY(
      SELECT event.position FROM event WHERE event.position > resume.position AND event.position NOT IN (
        SELECT unread.position FROM unread WHERE unread.name = resume.name
      )
    )
    FROM moved, resume WHERE resume.name = reader.name
  ),
  events AS (UPDATE event SET xid = moved.settled FROM moved),
  adopted AS (
    UPDATE event_log SET home = actual.home, pruned_xid = COALESCE((SELECT settled FROM moved), pruned_xid)
    FROM actual WHERE EXISTS (SELECT FROM log)
  )
  SELECT EXISTS (SELECT FROM moved) AS moved`,
  { timeout: 3_600_000 },
);

const RENEW = statement(`UPDATE event_log SET id = gen_random_uuid() WHERE id::text = split_part($1, '/', 1)`);

/** Adopts event logs that were moved from another database. */
@Injectable()
export class EpochRepository {
  constructor(
    private readonly sql: SqlService,
    private readonly units: UnitOfWork,
  ) {}

  /**
   * Adopts the log if it came from another database. Among concurrent instances, one does it; it rewrites each row of
   * the log once.
   * @returns true when the log was adopted by this call
   */
  async adoptMovedLog(): Promise<boolean> {
    if (!(await this.sql.first<{ moved: boolean }>(MOVED))?.moved) return false;
    return this.units.run(async () => {
      await this.sql.count(STOP_READERS);
      return (await this.sql.first<{ moved: boolean }>(ADOPT_MOVED_LOG))?.moved ?? false;
    });
  }

  /**
   * Gives the log a new identity, so that cursors of the old one are rejected. Among concurrent instances, one does it.
   * @param identity the identity that the caller found
   */
  async renewIdentity(identity: string): Promise<void> {
    await this.sql.count(RENEW, [identity]);
  }
}

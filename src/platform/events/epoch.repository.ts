import { Injectable } from '@nestjs/common';
import { Sql, statement } from '../database/sql.js';
import { UnitOfWork } from '../database/unit-of-work.js';

/**
 * Where transactions are numbered: the cluster, and the database in it. A dump that is restored keeps the log's id, but
 * its numbers are another cluster's.
 */
const HOME = `(SELECT system_identifier FROM pg_control_system()) || '/'
  || (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * A failover keeps the home, but may have lost what was committed last: its log is on a timeline of its own. This shows
 * it from its first checkpoint on, which is seconds later; then open sockets are told, so that nobody goes on with what
 * is not there any more.
 */
const TIMELINE = `(SELECT timeline_id FROM pg_control_checkpoint())`;

/** Names this very log: of a restored dump, and after a failover, it is another. */
export const LOG_IDENTITY = `(SELECT id || '/' || ${HOME} || '/' || ${TIMELINE} FROM event_log)`;

const MOVED = statement(`SELECT home IS DISTINCT FROM ${HOME} AS moved FROM event_log`);
const STOP_READERS = statement(`LOCK TABLE event_reader IN EXCLUSIVE MODE`);

/**
 * When the log has moved: from here on it counts as written by one transaction that has long ended, and every durable
 * reader as amid that one. What it has read is read, what it has not is not, in order of position. One statement, so
 * that all of it sees the log of one moment; what others write meanwhile has higher numbers.
 */
const ADOPT_MOVED_LOG = statement(
  `
  WITH present AS MATERIALIZED (SELECT ${HOME} AS home, pg_snapshot_xmin(pg_current_snapshot()) AS horizon),
  log AS MATERIALIZED (
    SELECT home FROM event_log WHERE home IS DISTINCT FROM (SELECT home FROM present) FOR UPDATE
  ),
  moved AS MATERIALIZED (
    SELECT horizon, (horizon::text::bigint - 1)::text::xid8 AS settled FROM present, log WHERE log.home IS NOT NULL
  ),
  unread AS MATERIALIZED (
    SELECT reader.name, event.position FROM moved CROSS JOIN event_reader AS reader JOIN event
      ON event.xid >= reader.horizon OR (event.xid >= reader.since
        AND event.position > reader.position AND event.position <> ALL(reader.passed))
  ),
  place AS MATERIALIZED (
    SELECT name, COALESCE(
      (SELECT min(unread.position) - 1 FROM unread WHERE unread.name = event_reader.name),
      (SELECT max(event.position) FROM event), 0
    ) AS position FROM event_reader
  ),
  readers AS (
    UPDATE event_reader AS reader
    SET since = moved.settled, horizon = moved.horizon, position = place.position, passed = ARRAY(
      SELECT event.position FROM event WHERE event.position > place.position AND event.position NOT IN (
        SELECT unread.position FROM unread WHERE unread.name = place.name
      )
    )
    FROM moved, place WHERE place.name = reader.name
  ),
  events AS (UPDATE event SET xid = moved.settled FROM moved),
  kept AS (
    UPDATE event_log SET home = present.home, pruned_xid = COALESCE((SELECT settled FROM moved), pruned_xid)
    FROM present WHERE EXISTS (SELECT FROM log)
  )
  SELECT EXISTS (SELECT FROM moved) AS moved`,
  { timeout: 3_600_000 },
);

const RENEW = statement(`UPDATE event_log SET id = gen_random_uuid() WHERE id::text = split_part($1, '/', 1)`);

/** Takes a log that was brought from elsewhere for one of this database. */
@Injectable()
export class EpochRepository {
  constructor(
    private readonly sql: Sql,
    private readonly units: UnitOfWork,
  ) {}

  /**
   * Makes the log that of this database, where it was brought from another. Of two instances one does it. It writes
   * each row of the log once. @returns whether it has been brought
   */
  async adoptMovedLog(): Promise<boolean> {
    if (!(await this.sql.first<{ moved: boolean }>(MOVED))?.moved) return false;
    return this.units.run(async () => {
      await this.sql.count(STOP_READERS);
      return (await this.sql.first<{ moved: boolean }>(ADOPT_MOVED_LOG))?.moved ?? false;
    });
  }

  /**
   * Gives the log a new identity, so that no cursor of the old one is resumed from. Of several instances that ask for
   * the same log at once, one does it. @param identity that the log was found to have
   */
  async renewIdentity(identity: string): Promise<void> {
    await this.sql.count(RENEW, [identity]);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { Backlog } from '../../platform/jobs/backlog.js';
import { backlogStatement, readBacklog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import type { SearchedType } from './search-document.js';

export interface SearchBackfill extends DueRow {
  type: SearchedType;
  /** Things with this id or a higher one are done. */
  beforeId: string;
}

const COLUMNS = `id, workspace_id AS "workspaceId", type, before_id AS "beforeId"`;
/** Changes must not be missed, so a backfill waits until the consumer follows the log. */
const MAY_BEGIN = `EXISTS (SELECT FROM event_reader WHERE name = $1)`;

const DUE = statement(`
  SELECT ${COLUMNS} FROM search_backfill
  WHERE ${MAY_BEGIN} AND workspace_id <> ALL($3::uuid[]) AND id <> ALL($4::uuid[])
  ORDER BY requested_at, id LIMIT $2`);
const LOCK = statement(`SELECT ${COLUMNS} FROM search_backfill WHERE id = $2 AND ${MAY_BEGIN} FOR UPDATE SKIP LOCKED`);
const ADVANCE = statement('UPDATE search_backfill SET before_id = $2 WHERE id = $1');
const END = statement('DELETE FROM search_backfill WHERE id = $1');
const BACKLOG = backlogStatement('requested_at', 'search_backfill');

/** The progress of writing older things to the index. */
@Injectable()
export class SearchBackfillsRepository {
  constructor(private readonly sql: SqlService) {}

  /** @param consumer the name of the consumer that writes later changes */
  findDue(consumer: string, { limit, exceptWorkspaceIds, exceptIds }: DueQuery): Promise<SearchBackfill[]> {
    return this.sql.rows<SearchBackfill>(DUE, [consumer, limit, exceptWorkspaceIds, exceptIds]);
  }

  /** @returns undefined if it has ended or another transaction has locked it */
  tryLock(consumer: string, id: string): Promise<SearchBackfill | undefined> {
    return this.sql.first<SearchBackfill>(LOCK, [consumer, id]);
  }

  /** @param lastId the last thing written; null if there is no further one */
  async advance(id: string, lastId: string | null): Promise<void> {
    if (lastId === null) await this.sql.count(END, [id]);
    else await this.sql.count(ADVANCE, [id, lastId]);
  }

  measure(): Promise<Backlog> {
    return readBacklog(this.sql, BACKLOG, []);
  }
}

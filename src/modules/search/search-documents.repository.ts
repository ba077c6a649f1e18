import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { ErasedSubject, Slice } from '../../platform/erasure/erasure-step.registry.js';
import type { SearchDocument, SearchSource } from './search-document.js';

/**
 * Writes documents, then moves what that has put into the index's pending list to the index itself, word by word. That
 * costs a quarter of entering each document by itself, and no search has to read a long list.
 */
const WRITE = statement(`
  WITH written AS (
    INSERT INTO search_document (workspace_id, id, type, segment_id, channel_id, created_at, terms)
    SELECT workspace_id, id, type, segment_id, channel_id, created_at, terms::tsvector
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::uuid[], $6::timestamptz[], $7::text[])
      AS written (workspace_id, id, type, segment_id, channel_id, created_at, terms)
    ON CONFLICT (workspace_id, id) DO UPDATE SET terms = excluded.terms
    RETURNING 1
  )
  SELECT gin_clean_pending_list('ix_search_document_terms') FROM (SELECT count(*) FROM written) AS all_written`);
const REMOVE = statement(`
  DELETE FROM search_document USING unnest($1::uuid[], $2::uuid[]) AS removed (workspace_id, id)
  WHERE search_document.workspace_id = removed.workspace_id AND search_document.id = removed.id`);
/** The messages of an erased conversation after a `seq`. */
const REMOVE_SLICE = statement(`
  WITH slice AS (
    SELECT id, seq FROM message
    WHERE workspace_id = $1 AND conversation_id = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4
  ), removed AS (
    DELETE FROM search_document WHERE workspace_id = $1 AND id IN (SELECT id FROM slice) RETURNING id
  )
  SELECT (SELECT count(*)::int FROM removed) AS scrubbed, count(*)::int AS visited, max(seq)::text AS last FROM slice`);

type Key = Pick<SearchSource, 'workspaceId' | 'id'>;

/** Writes the index. The caller has locked it. */
@Injectable()
export class SearchDocumentsRepository {
  constructor(private readonly sql: SqlService) {}

  async write(documents: readonly SearchDocument[]): Promise<void> {
    if (documents.length === 0) return;
    const column = <K extends keyof SearchDocument>(key: K) => documents.map(document => document[key]);
    const others = (['type', 'segmentId', 'channelId', 'createdAt', 'terms'] as const).map(column);
    await this.sql.count(WRITE, [...keyLists(documents), ...others]);
  }

  async remove(keys: readonly Key[]): Promise<void> {
    if (keys.length > 0) await this.sql.count(REMOVE, keyLists(keys));
  }

  /** Removes at most `limit` messages of an erased conversation after a `seq`. */
  async removeSlice({ workspaceId, id }: ErasedSubject, after: string, limit: number): Promise<Slice> {
    const values = [workspaceId, id, after, limit];
    const slice = await this.sql.first<{ scrubbed: number; visited: number; last: string }>(REMOVE_SLICE, values);
    return { scrubbed: slice?.scrubbed ?? 0, after: slice?.visited === limit ? slice.last : null };
  }
}

function keyLists(keys: readonly Key[]): [string[], string[]] {
  return [keys.map(({ workspaceId }) => workspaceId), keys.map(({ id }) => id)];
}

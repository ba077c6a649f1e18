import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import { isInChannels } from '../../platform/database/visibility.js';
import type { Candidate } from './search-document.js';
import type { SearchPosition, SearchRequest } from './search-request.js';

/**
 * Reads hits of some segments, the newest first. Each segment is a scan of its own, so that the recheck of a row compares
 * it with one query. OFFSET 0 leaves PostgreSQL no other index than that of the terms.
 */
const FIND = statement(`
  SELECT hit.id, hit.type, hit.created_at AS "createdAt"
  FROM unnest($1::text[]) AS segment (query) CROSS JOIN LATERAL (
    SELECT id, type, created_at FROM (
      SELECT workspace_id, id, type, channel_id, created_at FROM search_document
      WHERE terms @@ segment.query::tsquery OFFSET 0
    ) AS document
    WHERE workspace_id = $2 AND type = ANY($3) AND (type = 'contact' OR ${isInChannels('channel_id', '$4::uuid[]')})
      AND ($5::timestamptz IS NULL OR created_at > $5) AND ($6::timestamptz IS NULL OR created_at <= $6)
      AND ($7::timestamptz IS NULL OR created_at >= $7) AND ($8::timestamptz IS NULL OR created_at < $8)
      AND ($9::timestamptz IS NULL OR (created_at, type COLLATE "C", id) < ($9, $10, $11::uuid))
    ORDER BY created_at DESC, type COLLATE "C" DESC, id DESC LIMIT $12
  ) AS hit
  ORDER BY hit.created_at DESC, hit.type COLLATE "C" DESC, hit.id DESC LIMIT $12`);

/** A part of the hits. */
export interface CandidateQuery extends Pick<SearchRequest, 'types' | 'from' | 'to'> {
  workspaceId: string;
  /** A `tsquery` for each segment, as text. */
  queries: readonly string[];
  channels: ChannelScope;
  /** Exclusive; null without a limit. */
  newerThan: Date | null;
  /** Inclusive; null without a limit. */
  upTo: Date | null;
  after: SearchPosition | null;
  limit: number;
}

/** Reads hits of the index. It limits them to the caller's workspace and channels only to read fewer. */
@Injectable()
export class SearchCandidatesRepository {
  constructor(private readonly sql: SqlService) {}

  find(query: CandidateQuery, timeout: number): Promise<Candidate[]> {
    const { workspaceId, queries, types, channels, newerThan, upTo, from, to, after, limit } = query;
    const values = [queries, workspaceId, types, channels, newerThan, upTo, from, to];
    return this.sql.rows<Candidate>(FIND, [...values, after?.at, after?.type, after?.id, limit], timeout);
  }
}

import { Injectable } from '@nestjs/common';
import { SqlService, statement } from '../../platform/database/sql.service.js';
import type { SegmentSource } from './search-document.js';
import type { Segment } from './search-window.js';

/** Documents that a transaction adds to a segment. */
export interface SegmentAddition {
  documents: number;
  firstAt: Date;
  lastAt: Date;
  /** False if no further documents fit. */
  open: boolean;
}

/** An addition to the segment `id`. */
export interface SegmentGrowth extends SegmentAddition {
  id: number;
}

export interface OpenSegment {
  id: number;
  documents: number;
}

const LOCK = statement(`SELECT pg_advisory_xact_lock(hashtextextended('search_document', 0))`);
const OPEN = statement(`
  SELECT workspace_id AS "workspaceId", id, documents FROM search_segment
  WHERE workspace_id = ANY($1) AND source = $2 AND open`);
const CREATE = statement(`
  INSERT INTO search_segment (workspace_id, source, documents, open, first_at, last_at)
  VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`);
const GROW = statement(`
  UPDATE search_segment
  SET documents = search_segment.documents + added.documents, open = added.open,
      first_at = least(search_segment.first_at, added.first_at), last_at = greatest(search_segment.last_at, added.last_at)
  FROM unnest($1::int[], $2::int[], $3::boolean[], $4::timestamptz[], $5::timestamptz[])
    AS added (id, documents, open, first_at, last_at)
  WHERE search_segment.id = added.id`);
const ALL = statement(`
  SELECT id, documents, first_at AS "firstAt", last_at AS "lastAt" FROM search_segment
  WHERE workspace_id = $1 ORDER BY last_at DESC, id DESC`);

/** Segments of the index. */
@Injectable()
export class SearchSegmentsRepository {
  constructor(private readonly sql: SqlService) {}

  /**
   * Waits for other transactions that write the index, until the unit of work ends. So each of them reads rows as they
   * are and writes the index before the next one does.
   */
  async lock(): Promise<void> {
    await this.sql.rows(LOCK);
  }

  /** The segments to which documents are added, by workspace. The caller has locked the index. */
  async findOpen(workspaceIds: readonly string[], source: SegmentSource): Promise<Map<string, OpenSegment>> {
    const rows = await this.sql.rows<OpenSegment & { workspaceId: string }>(OPEN, [workspaceIds, source]);
    return new Map(rows.map(row => [row.workspaceId, row]));
  }

  /** @returns its id */
  async create(workspaceId: string, source: SegmentSource, addition: SegmentAddition): Promise<number> {
    const { documents, open, firstAt, lastAt } = addition;
    const row = await this.sql.first<{ id: number }>(CREATE, [workspaceId, source, documents, open, firstAt, lastAt]);
    if (!row) throw new Error('The statement that creates a segment returned no row');
    return row.id;
  }

  async grow(growths: readonly SegmentGrowth[]): Promise<void> {
    if (growths.length === 0) return;
    const column = <K extends keyof SegmentGrowth>(key: K) => growths.map(growth => growth[key]);
    await this.sql.count(GROW, (['id', 'documents', 'open', 'firstAt', 'lastAt'] as const).map(column));
  }

  /** All segments of the workspace, those with the newest documents first. */
  findAll(workspaceId: string, timeout: number): Promise<Segment[]> {
    return this.sql.rows<Segment>(ALL, [workspaceId], timeout);
  }
}

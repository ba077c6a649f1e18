import { Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { IdColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { SearchedType } from './search-document.js';

/** A workspace's things of one type that are older than the event log and not in the index yet. */
@Entity({ name: 'search_backfill' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_search_backfill_workspace', onDelete: 'CASCADE' })
@Unique('uq_search_backfill_type', ['workspaceId', 'type'])
export class SearchBackfillEntity {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'pk_search_backfill' })
  id!: string;

  @IdColumn('workspace_id')
  workspaceId!: string;

  @TextColumn('type')
  type!: SearchedType;

  /** The last one written; older ones follow. */
  @IdColumn('before_id')
  beforeId!: string;

  @TimeColumn('requested_at')
  requestedAt!: Date;
}

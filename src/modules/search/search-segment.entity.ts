import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { IdColumn, TextColumn, TimeColumn } from '../../platform/database/columns.js';
import type { SegmentSource } from './search-document.js';

/** A part of a workspace's index: documents that were written one after the other, and the times that they span. */
@Entity({ name: 'search_segment' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_search_segment_workspace', onDelete: 'CASCADE' })
@Index('ix_search_segment_workspace', ['workspaceId', 'lastAt'])
@Index('uq_search_segment_open', ['workspaceId', 'source'], { unique: true, where: '"open"' })
@Check('ck_search_segment_source', `"source" IN ('log', 'message', 'conversation', 'contact')`)
export class SearchSegmentEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'pk_search_segment',
  })
  id!: number;

  @IdColumn('workspace_id')
  workspaceId!: string;

  @TextColumn('source')
  source!: SegmentSource;

  /** Number of documents ever written. */
  @Column({ name: 'documents', type: 'integer' })
  documents!: number;

  /** True while documents are added. */
  @Column({ name: 'open', type: 'boolean' })
  open!: boolean;

  @TimeColumn('first_at')
  firstAt!: Date;

  @TimeColumn('last_at')
  lastAt!: Date;
}

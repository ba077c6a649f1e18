import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { SubjectKind } from './erasure-step.registry.js';
import { SUBJECT_KINDS } from './erasure-step.registry.js';
import { IdColumn, KeyColumn, TextColumn, WrittenAtColumn } from '../database/columns.js';

/** An erasure in progress. Its id is that of the person. */
@Entity({ name: 'erasure' })
@ForeignKey('workspace', ['workspaceId'], ['id'], { name: 'fk_erasure_workspace', onDelete: 'CASCADE' })
export class ErasureEntity {
  @KeyColumn('workspace_id', 'pk_erasure')
  workspaceId!: string;

  @KeyColumn('id', 'pk_erasure')
  id!: string;

  @WrittenAtColumn('requested_at')
  requestedAt!: Date;

  /** Number of rows scrubbed so far. */
  @Column({ name: 'scrubbed', type: 'integer', default: 0 })
  scrubbed!: number;
}

/** A subject of an erasure. While its row exists, readers hide the content that is still stored. */
@Entity({ name: 'erased_subject' })
@ForeignKey('erasure', ['workspaceId', 'erasureId'], ['workspaceId', 'id'], {
  name: 'fk_erased_subject_erasure',
  onDelete: 'CASCADE',
})
@Check('ck_erased_subject_kind', `"kind" IN ('${SUBJECT_KINDS.join("', '")}')`)
@Index('ix_erased_subject_erasure', ['workspaceId', 'erasureId'])
export class ErasedSubjectEntity {
  @KeyColumn('workspace_id', 'pk_erased_subject')
  workspaceId!: string;

  @KeyColumn('id', 'pk_erased_subject')
  id!: string;

  @IdColumn('erasure_id')
  erasureId!: string;

  @TextColumn('kind')
  kind!: SubjectKind;

  /** Name of the current step; null before the first. */
  @TextColumn('step', { nullable: true })
  step!: string | null;

  /** Cursor of the current step, in an order that the step defines. */
  @Column({ name: 'after', type: 'bigint', default: 0 })
  after!: string;
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The stored answer of one Idempotency-Key. */
@Entity({ name: 'kept_answer' })
@Index('ix_kept_answer_created_at', ['createdAt'])
export class IdempotencyKeyEntity {
  /** SHA-256 of caller, scope, path and key. The key itself is not stored. */
  @PrimaryColumn({ type: 'char', length: 64, primaryKeyConstraintName: 'pk_kept_answer' })
  id!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ name: 'request_hash', type: 'char', length: 64 })
  requestHash!: string;

  /** Encrypted under a key derived from the raw Idempotency-Key. Null once the answer was erased with its subject. */
  @Column({ type: 'text', nullable: true })
  answer!: string | null;

  /** All ids in the answer, by which it is found when one of these records is erased. */
  @Column({ type: 'uuid', array: true, default: [] })
  about!: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

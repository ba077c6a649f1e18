import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The answer that one Idempotency-Key got. */
@Entity({ name: 'kept_answer' })
@Index('ix_kept_answer_created_at', ['createdAt'])
export class IdempotencyKeyEntity {
  /** SHA-256 over caller, scope, path and key: the key itself is not kept. */
  @PrimaryColumn({ type: 'char', length: 64, primaryKeyConstraintName: 'pk_kept_answer' })
  id!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ name: 'request_hash', type: 'char', length: 64 })
  requestHash!: string;

  /** Encrypted under a key that takes the raw Idempotency-Key to derive. Null where it told of somebody who was erased. */
  @Column({ type: 'text', nullable: true })
  answer!: string | null;

  /** The ids that the answer names: by these it is found when one of the things is to be forgotten. */
  @Column({ type: 'uuid', array: true, default: [] })
  about!: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { IdColumn, KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';

/** A mailed link that sets a new password, once, within an hour. */
@Entity({ name: 'password_reset' })
@Unique('uq_password_reset_token', ['tokenHash'])
@Index('ix_password_reset_user', ['userId'])
@ForeignKey('user_account', ['userId'], ['id'], { name: 'fk_password_reset_user', onDelete: 'CASCADE' })
export class PasswordResetEntity {
  @KeyColumn('id', 'pk_password_reset')
  id!: string;

  @IdColumn('user_id')
  userId!: string;

  /** SHA-256 of the token in the link. */
  @TextColumn('token_hash')
  tokenHash!: string;

  @TimeColumn('spent_at', { nullable: true })
  spentAt!: Date | null;

  @TimeColumn('expires_at')
  expiresAt!: Date;

  @WrittenAtColumn('created_at')
  createdAt!: Date;
}

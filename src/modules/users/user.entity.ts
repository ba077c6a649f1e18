import { Check, Entity, Unique } from 'typeorm';
import { KeyColumn, TextColumn, TimeColumn, WrittenAtColumn } from '../../platform/database/columns.js';
import type { User } from './user.js';

/** Not named `user`, which is a reserved word in SQL. */
@Entity({ name: 'user_account' })
@Unique('uq_user_account_email', ['email'])
@Check('ck_user_account_email', `octet_length(email) = length(email)`)
export class UserEntity implements User {
  @KeyColumn('id', 'pk_user_account')
  id!: string;

  @TextColumn('email')
  email!: string;

  @TextColumn('name')
  name!: string;

  @TextColumn('password_hash', { nullable: true })
  passwordHash!: string | null;

  @WrittenAtColumn('created_at')
  createdAt!: Date;

  @TimeColumn('updated_at', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}

import { Injectable } from '@nestjs/common';
import { violates } from '../../platform/database/database-errors.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { UserEntity } from './user.entity.js';
import type { User } from './user.js';
import { EmailTaken } from './users.errors.js';

/** Users belong to no workspace: they are found by e-mail or id, and never listed. */
@Injectable()
export class UsersRepository {
  constructor(private readonly units: UnitOfWork) {}

  find(id: string): Promise<User | null> {
    return this.rows.findOneBy({ id });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.rows.findOneBy({ email });
  }

  /** @throws EmailTaken */
  async insert(user: User): Promise<void> {
    try {
      await this.rows.insert(user as UserEntity);
    } catch (error) {
      if (violates(error, 'uq_user_account_email')) throw new EmailTaken({ cause: error });
      throw error;
    }
  }

  /** @returns false if a user with this e-mail exists, including one that a concurrent request just created */
  async insertIfAbsent(user: User): Promise<boolean> {
    const insert = this.rows.createQueryBuilder().insert().values(user).orIgnore().returning(['id']);
    return ((await insert.execute()).raw as unknown[]).length > 0;
  }

  /** Locks the user until the unit of work ends. */
  lock(id: string): Promise<User | null> {
    return this.rows.findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  async setPassword(id: string, passwordHash: string, at: Date): Promise<void> {
    await this.rows.update({ id }, { passwordHash, updatedAt: at });
  }

  private get rows() {
    return this.units.manager.getRepository(UserEntity);
  }
}

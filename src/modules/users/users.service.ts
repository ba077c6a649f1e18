import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PasswordHasher } from './password-hasher.js';
import type { User } from './user.js';
import { UsersRepository } from './users.repository.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  find(id: string): Promise<User | null> {
    return this.users.find(id);
  }

  findByEmail(email: string): Promise<User | null> {
    return this.users.findByEmail(email);
  }

  /** The user of this e-mail if the password is theirs. Takes the same time whether or not there is such a user. */
  async authenticate(email: string, password: string): Promise<User | null> {
    const user = await this.users.findByEmail(email);
    const right = await this.hasher.matches(password, user?.passwordHash ?? null);
    return right ? user : null;
  }

  /** Takes a fifth of a second and may have to wait its turn: call it before a unit of work, not inside. */
  hashPassword(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** @throws EmailTaken when a racing request has made the same user first */
  async create(email: string, name: string, passwordHash: string | null): Promise<User> {
    const now = this.clock.now();
    const user: User = { id: newId(), email, name, passwordHash, createdAt: now, updatedAt: now };
    await this.units.run(() => this.users.insert(user));
    return user;
  }

  async hasPassword(user: User, password: string): Promise<boolean> {
    return this.hasher.matches(password, user.passwordHash);
  }

  async setPassword(userId: string, passwordHash: string): Promise<void> {
    await this.units.run(() => this.users.setPassword(userId, passwordHash, this.clock.now()));
  }
}

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

  /** The user of this e-mail, and whether the password is theirs. Takes the same time where there is no such user. */
  async authenticate(email: string, password: string): Promise<{ user: User | null; passwordMatches: boolean }> {
    const user = await this.users.findByEmail(email);
    return { user, passwordMatches: await this.hasher.matches(password, user?.passwordHash ?? null, email) };
  }

  /** Asked before anything else is done for a request that hashes. @throws RateLimited when too many wait */
  assertHashCapacity(principal: string): void {
    this.hasher.assertCapacity(principal);
  }

  /**
   * Takes a fifth of a second and may have to wait its turn: call it before a unit of work; inside one it throws.
   * @param principal whose share of the hashing it takes: an e-mail, or the `principalKey` of an API key
   */
  hashPassword(password: string, principal: string): Promise<string> {
    return this.hasher.hash(password, principal);
  }

  /** @throws EmailTaken when a racing request has made the same user first */
  async create(email: string, name: string, passwordHash: string | null): Promise<User> {
    const user = this.draft(email, name, passwordHash);
    await this.units.run(() => this.users.insert(user));
    return user;
  }

  /** The user of this e-mail, made when there is none: of those who race, one makes it and the others find it. */
  async findOrCreate(email: string, name: string, passwordHash: string | null): Promise<{ user: User; created: boolean }> {
    return this.units.run(async () => {
      const draft = this.draft(email, name, passwordHash);
      const created = !(await this.users.findByEmail(email)) && (await this.users.insertIfAbsent(draft));
      const user = created ? draft : await this.users.findByEmail(email);
      if (!user) throw new Error('a user was there and is not');
      return { user, created };
    });
  }

  async hasPassword(user: User, password: string): Promise<boolean> {
    return this.hasher.matches(password, user.passwordHash, user.email);
  }

  /**
   * Whether the user's password is still the one that was checked; when it is, it stays so until the unit of work ends.
   * Checking takes a fifth of a second, in which the password can be changed: what it opens, it opens after this.
   */
  async stillHasPassword(user: User): Promise<boolean> {
    return (await this.users.lock(user.id))?.passwordHash === user.passwordHash;
  }

  async setPassword(userId: string, passwordHash: string): Promise<void> {
    await this.units.run(() => this.users.setPassword(userId, passwordHash, this.clock.now()));
  }

  private draft(email: string, name: string, passwordHash: string | null): User {
    const now = this.clock.now();
    return { id: newId(), email, name, passwordHash, createdAt: now, updatedAt: now };
  }
}

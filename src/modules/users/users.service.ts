import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PasswordHashingService } from './password-hashing.service.js';
import type { User } from './user.js';
import { UsersRepository } from './users.repository.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly hasher: PasswordHashingService,
    private readonly clock: Clock,
  ) {}

  find(id: string): Promise<User | null> {
    return this.users.find(id);
  }

  findByEmail(email: string): Promise<User | null> {
    return this.users.findByEmail(email);
  }

  /** Finds the user and compares the password. Takes the same time for an unknown e-mail. */
  async authenticate(email: string, password: string): Promise<{ user: User | null; passwordMatches: boolean }> {
    const user = await this.users.findByEmail(email);
    return { user, passwordMatches: await this.hasher.matches(password, user?.passwordHash ?? null, email) };
  }

  /**
   * Call it before any other work of a request that hashes a password.
   * @throws RateLimited if the hashing queue is full
   */
  assertHashCapacity(principal: string): void {
    this.hasher.assertCapacity(principal);
  }

  /**
   * Takes 200 ms and may queue. Call it before a unit of work; it throws inside one.
   * @param principal whose share of the queue it uses: an e-mail, or the `principalKey` of an API key
   */
  hashPassword(password: string, principal: string): Promise<string> {
    return this.hasher.hash(password, principal);
  }

  /** @throws EmailTaken if a concurrent request created the user first */
  async create(email: string, name: string, passwordHash: string | null): Promise<User> {
    const user = this.draft(email, name, passwordHash);
    await this.units.run(() => this.users.insert(user));
    return user;
  }

  /** Finds the user by e-mail or creates it. Of concurrent calls one creates the user and the others find it. */
  async findOrCreate(
    email: string,
    name: string,
    passwordHash: string | null,
  ): Promise<{ user: User; created: boolean }> {
    return this.units.run(async () => {
      const draft = this.draft(email, name, passwordHash);
      const created = !(await this.users.findByEmail(email)) && (await this.users.insertIfAbsent(draft));
      const user = created ? draft : await this.users.findByEmail(email);
      if (!user) throw new Error('a user was found by insert conflict, but not by e-mail');
      return { user, created };
    });
  }

  async hasPassword(user: User, password: string): Promise<boolean> {
    return this.hasher.matches(password, user.passwordHash, user.email);
  }

  /**
   * Locks the user and checks that the password hash is unchanged since the password was compared. Comparing takes 200
   * ms, in which the password can change, so call this before the password grants anything.
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

import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { FairConcurrencyQueue } from '../../platform/limits/fair-concurrency-queue.js';
import { presentShare } from '../../platform/limits/present-share.js';
import { BcryptThread } from './bcrypt-thread.js';
import { normalisePassword, PASSWORD_BYTES } from './password.js';

const MAX_WAITING = 40;

/**
 * Hashes and compares passwords. At cost 12 each takes a fifth of a second of a core, so they queue: one at a time, on
 * a thread that gives way to others, 40 waiting, and whoever comes then is told to try again; a storm of logins must
 * not take the machine from those who are talking, nor, when it is over, the time of those who log in. Networks and
 * principals take turns (`FairConcurrencyQueue`). Never within a unit of work, which would hold its connection meanwhile.
 */
@Injectable()
export class PasswordHasher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queue = new FairConcurrencyQueue(MAX_WAITING);
  private readonly thread = new BcryptThread();
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly config: Config,
    private readonly units: UnitOfWork,
  ) {}

  /** Ready before the first stranger asks, who would else wait longer than anybody who is known. */
  onApplicationBootstrap(): void {
    this.decoyHash().catch(() => undefined);
  }

  /** @param principal whose share it takes: an e-mail or an API key @throws RateLimited when too many wait */
  async hash(password: string, principal: string): Promise<string> {
    this.units.assertNoneActive('hashing a password');
    const normal = normalisePassword(password);
    return this.queue.run(presentShare(principal), () => this.thread.hash(normal, this.config.bcryptCost));
  }

  /**
   * Whether the password is the one that was hashed. Without a hash it takes as long and says no, so that the time of
   * an answer does not tell whether an account exists. bcrypt would compare the first 72 bytes of a longer password and
   * let it pass; nobody has such a password.
   */
  async matches(password: string, hash: string | null, principal: string): Promise<boolean> {
    this.units.assertNoneActive('comparing a password');
    const normal = normalisePassword(password);
    const compare = async () => this.thread.compare(normal, hash ?? (await this.decoyHash()));
    const same = await this.queue.run(presentShare(principal), compare);
    return same && hash !== null && Buffer.byteLength(normal) <= PASSWORD_BYTES.max;
  }

  /** @throws RateLimited when too many wait for one more of this principal, from where the request comes */
  assertCapacity(principal: string): void {
    this.queue.assertRoom(presentShare(principal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.stop();
  }

  /** Of the cost that real ones have. */
  private decoyHash(): Promise<string> {
    this.decoy ??= this.thread.hash('a password that nobody has', this.config.bcryptCost).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }
}

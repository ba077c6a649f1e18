import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { TurnQueue } from '../../platform/limits/turn-queue.js';
import { BcryptThread } from './bcrypt-thread.js';
import { normalisePassword, PASSWORD_BYTES } from './password.js';

const PLACES = 40;

/**
 * Hashes and compares passwords. At cost 12 each takes a fifth of a second of a core, so they queue: one at a time, on
 * a thread that gives way to others, 40 waiting, and whoever comes then is told to try again; a storm of logins must
 * not take the machine from those who are talking, nor, when it is over, the time of those who log in.
 */
@Injectable()
export class PasswordHasher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queue = new TurnQueue(PLACES);
  private readonly thread = new BcryptThread();
  private decoy: Promise<string> | undefined;

  constructor(private readonly config: Config) {}

  /** Ready before the first stranger asks, who would else wait longer than anybody who is known. */
  onApplicationBootstrap(): void {
    this.decoyHash().catch(() => undefined);
  }

  /** @throws RateLimited when too many wait */
  hash(password: string): Promise<string> {
    return this.queue.run(() => this.thread.hash(normalisePassword(password), this.config.bcryptCost));
  }

  /**
   * Whether the password is the one that was hashed. Without a hash it takes as long and says no, so that the time of
   * an answer does not tell whether an account exists. bcrypt would compare the first 72 bytes of a longer password and
   * let it pass; nobody has such a password.
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const normal = normalisePassword(password);
    const same = await this.queue.run(async () => this.thread.compare(normal, hash ?? (await this.decoyHash())));
    return same && hash !== null && Buffer.byteLength(normal) <= PASSWORD_BYTES.max;
  }

  /** @throws RateLimited when too many wait */
  assertRoom(): void {
    this.queue.assertRoom();
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

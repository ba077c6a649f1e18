import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { Config } from '../../config/config.js';
import { RateLimited } from '../../kernel/errors.js';
import { normalisePassword, PASSWORD_BYTES } from './password.js';

const AT_ONCE = 1;
const WAITING = 40;

/**
 * Hashes and compares passwords. At cost 12 each takes a fifth of a second of a core, so they queue: one at a time on
 * libuv's threads, 40 waiting, and whoever comes then is told to try again; a storm of logins must not take the
 * machine from those who are talking.
 */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly queue: (() => void)[] = [];
  private readonly decoy: Promise<string>;

  constructor(private readonly config: Config) {
    this.decoy = bcrypt.hash('a password that nobody has', config.bcryptCost);
  }

  /** @throws RateLimited when too many wait */
  hash(password: string): Promise<string> {
    return this.inTurn(() => bcrypt.hash(normalisePassword(password), this.config.bcryptCost));
  }

  /**
   * Whether the password is the one that was hashed. Without a hash it takes as long and says no, so that the time of
   * an answer does not tell whether an account exists. bcrypt would compare the first 72 bytes of a longer password and
   * let it pass; nobody has such a password.
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const against = hash ?? (await this.decoy);
    const normal = normalisePassword(password);
    const same = await this.inTurn(() => bcrypt.compare(normal, against));
    return same && hash !== null && Buffer.byteLength(normal) <= PASSWORD_BYTES.max;
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= AT_ONCE) {
      if (this.queue.length >= WAITING) throw new RateLimited({ retryAfter: 5 });
      await new Promise<void>(resolve => this.queue.push(resolve));
    }
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.queue.shift()?.();
    }
  }
}

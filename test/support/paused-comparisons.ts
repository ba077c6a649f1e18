import { jest } from '@jest/globals';
import type { BcryptThread } from '../../src/modules/users/bcrypt-thread.js';
import type { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';

/** Pauses an instance's password comparisons until the test releases them, so that it counts them and measures no time. */
export class PausedComparisons {
  /** Hash of each comparison, in the order in which they started. */
  readonly hashes: string[] = [];
  private readonly pending: (() => void)[] = [];
  private isPaused = true;

  constructor(hasher: PasswordHashingService) {
    const thread = threadOf(hasher);
    const compare = thread.compare.bind(thread);
    jest.spyOn(thread, 'compare').mockImplementation(async (password, hash) => {
      this.hashes.push(hash);
      if (this.isPaused) await new Promise<void>(release => this.pending.push(release));
      return compare(password, hash);
    });
  }

  releaseOne(): void {
    this.pending.shift()?.();
  }

  releaseAll(): void {
    this.isPaused = false;
    for (const release of this.pending.splice(0)) release();
  }
}

/** The thread on which an instance hashes and compares passwords. */
export function threadOf(hasher: PasswordHashingService): BcryptThread {
  return Reflect.get(hasher, 'thread') as BcryptThread;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { BcryptThread } from '../../src/modules/users/bcrypt-thread.js';

describe('The thread that hashes passwords', () => {
  // On Node 24, a thread that is terminated while bcrypt computes aborts the process.
  it('Stopping waits for the hash that is computed, however long the thread has run', async () => {
    for (let ms = 0; ms < 60; ms += 6) {
      const thread = new BcryptThread();
      const hash = thread.hash('a password', 9);
      await sleep(ms);
      await thread.stop();
      expect(await hash).toMatch(/^\$2b\$09\$/);
    }
  });

  it('A stopped thread refuses calls, and can be stopped again', async () => {
    const thread = new BcryptThread();
    await thread.stop();
    await thread.stop();
    await expect(thread.compare('a password', 'a hash')).rejects.toThrow('the password thread was stopped');
    const used = new BcryptThread();
    await used.hash('a password', 4);
    await Promise.all([used.stop(), used.stop()]);
    await used.stop();
    await expect(used.hash('a password', 4)).rejects.toThrow('the password thread was stopped');
  });
});

import { Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { Config } from '../../config/config.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { FairConcurrencyQueue } from '../../platform/limits/fair-concurrency-queue.js';
import { getRequestShare } from '../../platform/limits/request-share.js';
import { BcryptThread } from './bcrypt-thread.js';
import { normalisePassword, PASSWORD_BYTES } from './password.js';

const MAX_WAITING = 40;

/**
 * Hashes and compares passwords, one at a time, on a low-priority thread. At cost 12 each takes 200 ms of a core, so at
 * most 40 wait and further calls are refused: a login storm must not slow down chat, nor later logins.
 * Networks and principals take turns (`FairConcurrencyQueue`). Throws within a unit of work, which would keep a
 * connection busy meanwhile.
 */
@Injectable()
export class PasswordHashingService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly queue = new FairConcurrencyQueue(MAX_WAITING);
  private readonly thread = new BcryptThread();
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly config: Config,
    private readonly units: UnitOfWork,
    registry: Registry,
  ) {
    const { queue } = this;
    new Gauge({
      name: 'password_queue_length',
      help: 'Passwords that wait to be hashed or compared.',
      registers: [registry],
      collect() {
        this.set(queue.waitingCount);
      },
    });
  }

  /**
   * Computes the decoy hash in advance: otherwise the first login with an unknown e-mail would take longer and reveal
   * it.
   */
  onApplicationBootstrap(): void {
    this.decoyHash().catch(() => undefined);
  }

  /**
   * @param principal whose share of the queue it uses: an e-mail or an API key
   * @throws RateLimited if the queue is full
   */
  async hash(password: string, principal: string): Promise<string> {
    this.units.assertNoneActive('hashing a password');
    const normal = normalisePassword(password);
    return this.queue.run(getRequestShare(principal), () => this.thread.hash(normal, this.config.bcryptCost));
  }

  /**
   * Returns false without a hash, after the same time, so that timing does not reveal whether an account exists.
   * Returns false for more than 72 bytes, of which bcrypt would compare only the first 72.
   * @throws RateLimited if the queue is full
   */
  async matches(password: string, hash: string | null, principal: string): Promise<boolean> {
    this.units.assertNoneActive('comparing a password');
    const normal = normalisePassword(password);
    const compare = async () => this.thread.compare(normal, hash ?? (await this.decoyHash()));
    const same = await this.queue.run(getRequestShare(principal), compare);
    return same && hash !== null && Buffer.byteLength(normal) <= PASSWORD_BYTES.max;
  }

  /** @throws RateLimited if the queue is full for this principal from the request's network */
  assertCapacity(principal: string): void {
    this.queue.assertRoom(getRequestShare(principal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.stop();
  }

  /** Has the same cost as real hashes. */
  private decoyHash(): Promise<string> {
    this.decoy ??= this.thread.hash('a password that nobody has', this.config.bcryptCost).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }
}

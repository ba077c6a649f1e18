import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Usage } from './memory-counter.js';
import { MemoryCounter } from './memory-counter.js';

/**
 * One limit's counters: in Redis where there is one, in this process otherwise and while Redis does not answer. Keys are
 * hashed, so that neither holds an e-mail, an address or a token.
 */
export class RateWindow {
  readonly memory: MemoryCounter;
  private readonly shared: RateLimiterRedis | null;
  /** The context of the start: a timer that is made in a request's context keeps the request alive. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(
    name: string,
    readonly points: number,
    seconds: number,
    client: Redis | null,
    private readonly onInvalid: () => void = () => undefined,
  ) {
    this.memory = new MemoryCounter(seconds * 1_000);
    this.shared =
      client &&
      new RateLimiterRedis({
        keyPrefix: `rate:${name}`,
        points,
        duration: seconds,
        storeClient: client,
        rejectIfRedisNotReady: true,
        // a key past its limit is refused without asking again
        inMemoryBlockOnConsumed: points + 1,
      });
  }

  /** Adds one, also past the limit. */
  async add(key: string): Promise<Usage> {
    const hashed = hashOf(key);
    try {
      const { shared } = this;
      if (shared) return usageOf(await this.outside(() => shared.consume(hashed)));
    } catch (refused) {
      // refused from memory it comes without its count
      if (refused instanceof RateLimiterRes) return { ...usageOf(refused), consumed: this.points + 1 };
    }
    return this.memory.add(hashed);
  }

  async get(key: string): Promise<Usage | null> {
    const hashed = hashOf(key);
    try {
      const { shared } = this;
      if (shared) {
        const result = await this.outside(() => shared.get(hashed));
        if (result === null || Number.isFinite(result.consumedPoints)) return result && usageOf(result);
        // It cannot be raised either, so that this process has counted by itself.
        this.onInvalid();
      }
    } catch {
      // Redis does not answer
    }
    return this.memory.get(hashed);
  }
}

/** 128 bits of SHA-256. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}

function usageOf({ consumedPoints, msBeforeNext }: RateLimiterRes): Usage {
  return { consumed: consumedPoints, msLeft: msBeforeNext };
}

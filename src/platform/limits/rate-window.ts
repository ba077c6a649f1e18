import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Usage } from './memory-counter.js';
import { MemoryCounter } from './memory-counter.js';

/**
 * The counters of one limit: in Redis, or in memory where there is no Redis or it does not answer. Keys are hashed, so
 * that neither store contains an e-mail address, a network address or a token.
 */
export class RateWindow {
  readonly memory: MemoryCounter;
  private readonly shared: RateLimiterRedis | null;
  /**
   * Runs a function in the startup context. A timer created in a request's async context would keep the request alive.
   */
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
        // refuses a key past its limit without another call to Redis
        inMemoryBlockOnConsumed: points + 1,
      });
  }

  /** Counts `points` more, even past the limit. */
  async add(key: string, points = 1): Promise<Usage> {
    const hashed = hashOf(key);
    try {
      const { shared } = this;
      if (shared) return usageOf(await this.outside(() => shared.consume(hashed, points)));
    } catch (refused) {
      // a refusal from the in-memory block has no count
      if (refused instanceof RateLimiterRes) return { ...usageOf(refused), consumed: this.points + 1 };
    }
    return this.memory.add(hashed, points);
  }

  async get(key: string): Promise<Usage | null> {
    const hashed = hashOf(key);
    try {
      const { shared } = this;
      if (shared) {
        const result = await this.outside(() => shared.get(hashed));
        if (result === null || Number.isFinite(result.consumedPoints)) return result && usageOf(result);
        // `add` fails on such a counter too, so this process has counted in memory
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

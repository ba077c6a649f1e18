import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimit } from '../../config/rate-limits.js';
import type { Usage } from './memory-counter.js';
import { MemoryCounter } from './memory-counter.js';

/** Points of a window that ends so soon are not given back: they could be missing in the next one. */
const END_MS = 5_000;

/** Points that were counted before it was known how many are needed. */
export interface Reservation {
  usage: Usage;
  /** Counts some of them no longer. Never rejects: without Redis they stay counted. */
  giveBack(points: number): Promise<void>;
}

/**
 * The counters of one limit: in Redis, or in memory where there is no Redis or it does not answer. Keys are hashed, so
 * that neither store contains an e-mail address, a network address or a token.
 */
export class RateWindow {
  readonly points: number;
  readonly memory: MemoryCounter;
  private readonly shared: RateLimiterRedis | null;
  /**
   * Runs a function in the startup context. A timer created in a request's async context would keep the request alive.
   */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(
    name: string,
    { points, seconds, reserved = false }: Omit<RateLimit, 'by'>,
    client: Redis | null,
    private readonly onInvalid: () => void = () => undefined,
  ) {
    this.points = points;
    this.memory = new MemoryCounter(seconds * 1_000);
    this.shared =
      client &&
      new RateLimiterRedis({
        keyPrefix: `rate:${name}`,
        points,
        duration: seconds,
        storeClient: client,
        rejectIfRedisNotReady: true,
        // refuses a key past its limit without another call to Redis, unless the key can come below it again
        inMemoryBlockOnConsumed: reserved ? 0 : points + 1,
      });
  }

  /** Counts `points` more, even past the limit. */
  async add(key: string, points = 1): Promise<Usage> {
    const hashed = hashOf(key);
    return (await this.addShared(hashed, points)) ?? this.memory.add(hashed, points);
  }

  /** Counts `points` more, even past the limit, until they are given back. The limit must be declared as `reserved`. */
  async reserve(key: string, points: number): Promise<Reservation> {
    const hashed = hashOf(key);
    const shared = await this.addShared(hashed, points);
    const usage = shared ?? this.memory.add(hashed, points);
    const endsAt = performance.now() + usage.msLeft - END_MS;
    const giveBack = async (rest: number): Promise<void> => {
      if (rest <= 0 || performance.now() > endsAt) return;
      if (shared) await this.outside(async () => this.shared?.reward(hashed, rest)).catch(() => undefined);
      else this.memory.subtract(hashed, rest);
    };
    return { usage, giveBack };
  }

  /** @returns null where there is no Redis or it does not answer */
  private async addShared(hashed: string, points: number): Promise<Usage | null> {
    const { shared } = this;
    if (!shared) return null;
    try {
      return usageOf(await this.outside(() => shared.consume(hashed, points)));
    } catch (refused) {
      // a refusal from the in-memory block has no count
      return refused instanceof RateLimiterRes ? { ...usageOf(refused), consumed: this.points + 1 } : null;
    }
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

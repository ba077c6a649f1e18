import { Injectable } from '@nestjs/common';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../../config/config.js';
import type { RateLimitName } from '../../config/rate-limits.js';
import { RateLimited } from '../../kernel/errors.js';
import { tellPresentRequest } from '../http/present-request.js';
import { SharedMemory } from '../redis/shared-memory.js';
import type { RateState } from './rate-state.js';

/** One limit, and whom it counts by. */
export type Counter = readonly [name: RateLimitName, key: string];

/**
 * Counts what callers do against the published rates: in Redis where instances share one, so that ten instances do not
 * allow ten times as much, else, or while Redis is away, each instance in its own memory.
 */
@Injectable()
export class RateLimiter {
  private readonly limiters = new Map<RateLimitName, RateLimiterAbstract>();

  constructor(config: Config, { client }: SharedMemory) {
    for (const [name, { points, seconds }] of Object.entries(config.rateLimits ?? {})) {
      const options = { keyPrefix: `rate:${name}`, points, duration: seconds };
      const own = new RateLimiterMemory(options);
      const shared = client && {
        ...options,
        storeClient: client,
        insuranceLimiter: own,
        rejectIfRedisNotReady: true,
        // whoever is past the limit is told so without asking again
        inMemoryBlockOnConsumed: points + 1,
      };
      this.limiters.set(name as RateLimitName, shared ? new RateLimiterRedis(shared) : own);
    }
  }

  /** Counts one more. @throws RateLimited past the limit */
  async consume(name: RateLimitName, key: string): Promise<void> {
    const limiter = this.limiters.get(name);
    if (!limiter) return;
    try {
      const result = await limiter.consume(key);
      tellPresentRequest(stateOf(limiter, result));
    } catch (refused) {
      if (refused instanceof RateLimiterRes) throw limited(stateOf(limiter, refused));
      throw refused;
    }
  }

  /** For limits on failures only: refuses those who have failed too often, and counts nothing. @throws RateLimited */
  async assertBelow(name: RateLimitName, key: string): Promise<void> {
    const limiter = this.limiters.get(name);
    const state = await limiter?.get(key);
    if (limiter && state && state.consumedPoints >= limiter.points) throw limited(stateOf(limiter, state));
  }

  /** Counts one failure. @throws RateLimited when it is one too many */
  async fail(name: RateLimitName, key: string): Promise<void> {
    const limiter = this.limiters.get(name);
    const state = await limiter?.penalty(key);
    if (!limiter || !state) return;
    if (state.consumedPoints > limiter.points) throw limited(stateOf(limiter, state));
    tellPresentRequest(stateOf(limiter, state));
  }

  /**
   * A guess at a secret: refused to those who have failed too often, and counted where it fails. Of a hundred guesses
   * at once all are under way before the first has failed; so the counters are asked again before the result is told,
   * and no more are told theirs, right or wrong, than one after another would be. Let nothing happen in a guess that a
   * refusal after it should undo.
   * @param guess false or null where it was wrong
   * @throws RateLimited
   */
  async guess<T>(counters: readonly Counter[], guess: () => Promise<T>): Promise<T> {
    for (const [name, key] of counters) await this.assertBelow(name, key);
    const result = await guess();
    for (const [name, key] of counters) await (result ? this.assertBelow(name, key) : this.fail(name, key));
    return result;
  }
}

function stateOf(limiter: RateLimiterAbstract, result: RateLimiterRes): RateState {
  const reset = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  return { limit: limiter.points, remaining: Math.max(0, limiter.points - result.consumedPoints), reset };
}

/** A refusal that carries its state, so that the edge can set the headers. */
export class RateRefused extends RateLimited {
  constructor(readonly state: RateState) {
    super({ retryAfter: state.reset });
  }
}

/** What was refused from memory comes without its count. */
function limited(state: RateState): RateRefused {
  return new RateRefused({ ...state, remaining: 0 });
}

/** The headers that tell a caller where it stands. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.reset),
  };
}

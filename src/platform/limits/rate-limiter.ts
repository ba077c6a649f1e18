import { Injectable } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../../config/config.js';
import type { RateLimitName } from '../../config/rate-limits.js';
import { RateLimited } from '../../kernel/errors.js';

/** Where a caller stands with one limit. */
export interface RateState {
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/** Counts what callers do against the published rates. */
@Injectable()
export class RateLimiter {
  private readonly limiters = new Map<RateLimitName, RateLimiterMemory>();

  constructor(config: Config) {
    for (const [name, { points, seconds }] of Object.entries(config.rateLimits ?? {})) {
      this.limiters.set(name as RateLimitName, new RateLimiterMemory({ keyPrefix: name, points, duration: seconds }));
    }
  }

  /** Counts one more. @returns null when limits are off @throws RateLimited past the limit */
  async consume(name: RateLimitName, key: string): Promise<RateState | null> {
    const limiter = this.limiters.get(name);
    if (!limiter) return null;
    try {
      return stateOf(limiter, await limiter.consume(key));
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

  /** Counts one failure. */
  async fail(name: RateLimitName, key: string): Promise<void> {
    await this.limiters.get(name)?.penalty(key);
  }
}

function stateOf(limiter: RateLimiterMemory, result: RateLimiterRes): RateState {
  const reset = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  return { limit: limiter.points, remaining: Math.max(0, limiter.points - result.consumedPoints), reset };
}

/** A refusal that carries its state, so that the edge can set the headers. */
export class RateRefused extends RateLimited {
  constructor(readonly state: RateState) {
    super({ retryAfter: state.reset });
  }
}

function limited(state: RateState): RateRefused {
  return new RateRefused(state);
}

/** The headers that tell a caller where it stands. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.reset),
  };
}

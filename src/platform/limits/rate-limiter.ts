import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import type { RateLimitName } from '../../config/rate-limits.js';
import { RateLimited } from '../../kernel/errors.js';
import { runWithRequest } from '../http/present-request.js';
import { InvalidData } from '../redis/invalid-data.js';
import { RedisClient } from '../redis/redis-client.js';
import type { Usage } from './memory-counter.js';
import type { RateState } from './rate-state.js';
import { RateWindow } from './rate-window.js';

/** One limit, and whom it counts by. */
export type Counter = readonly [name: RateLimitName, key: string];

/**
 * Counts what callers do against the published rates: in Redis where instances share one, so that ten instances do not
 * allow ten times as much, else, or while Redis is away, each instance in its own memory.
 */
@Injectable()
export class RateLimiter {
  readonly windows = new Map<RateLimitName, RateWindow>();

  constructor(config: Config, { client }: RedisClient, invalid: InvalidData) {
    const onInvalid = () => invalid.record('limits', 'a rate counter that is no number');
    for (const [name, { points, seconds }] of Object.entries(config.rateLimits ?? {})) {
      this.windows.set(name as RateLimitName, new RateWindow(name, points, seconds, client, onInvalid));
    }
  }

  /** Counts one more. @throws RateLimited past the limit */
  async consume(name: RateLimitName, key: string): Promise<void> {
    const window = this.windows.get(name);
    if (!window) return;
    const usage = await window.add(key);
    const state = stateOf(window, usage);
    if (usage.consumed > window.points) throw new RateRefused(state);
    runWithRequest(state);
  }

  /** For limits on failures only: refuses those who have failed too often, and counts nothing. @throws RateLimited */
  async assertBelow(name: RateLimitName, key: string): Promise<void> {
    const window = this.windows.get(name);
    const usage = await window?.get(key);
    if (window && usage && usage.consumed >= window.points) throw new RateRefused(stateOf(window, usage));
  }

  /** Counts one failure. @throws RateLimited when it is one too many */
  fail(name: RateLimitName, key: string): Promise<void> {
    return this.consume(name, key);
  }

  /**
   * A guess at a secret: refused to those who have failed too often, and counted where it fails. Of a hundred guesses
   * at once all are under way before the first has failed; so the counters are asked again before the result is told,
   * and no more are told theirs, right or wrong, than one after another would be. Let nothing happen in a guess that a
   * refusal after it should undo.
   * @param guess false or null where it was wrong
   * @param successes limits that count the right guesses
   * @throws RateLimited
   */
  async guess<T>(
    counters: readonly Counter[],
    guess: () => Promise<T>,
    successes: readonly Counter[] = [],
  ): Promise<T> {
    for (const [name, key] of [...counters, ...successes]) await this.assertBelow(name, key);
    const result = await guess();
    for (const [name, key] of counters) await (result ? this.assertBelow(name, key) : this.fail(name, key));
    if (result) for (const [name, key] of successes) await this.consume(name, key);
    return result;
  }
}

function stateOf({ points }: RateWindow, { consumed, msLeft }: Usage): RateState {
  return { limit: points, remaining: Math.max(0, points - consumed), reset: Math.max(1, Math.ceil(msLeft / 1000)) };
}

/** A refusal that carries its state, so that the edge can set the headers. */
export class RateRefused extends RateLimited {
  constructor(readonly state: RateState) {
    super({ retryAfter: state.reset });
  }
}

/** The headers that tell a caller where it stands. */
export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.reset),
  };
}

import { Injectable } from '@nestjs/common';
import { Counter as Metric, Registry } from 'prom-client';
import { Config } from '../../config/config.js';
import type { RateLimitName } from '../../config/rate-limits.js';
import { RateLimited } from '../../kernel/errors.js';
import { reportRate } from '../request/current-request.js';
import { InvalidDataService } from '../redis/invalid-data.service.js';
import { RedisClient } from '../redis/redis-client.js';
import type { Usage } from './memory-counter.js';
import type { RateState } from '../request/rate-state.js';
import type { Reservation } from './rate-window.js';
import { RateWindow } from './rate-window.js';

/** One limit and the key that it counts by. */
export type Counter = readonly [name: RateLimitName, key: string];

/**
 * Counts calls against the published rates. Instances share the counters in Redis, so that ten instances do not allow
 * ten times as much. Without Redis, or while it is unreachable, each instance counts in memory.
 */
@Injectable()
export class RateLimitService {
  readonly windows = new Map<RateLimitName, RateWindow>();
  private readonly refusals: Metric;

  constructor(config: Config, { client }: RedisClient, invalid: InvalidDataService, registry: Registry) {
    this.refusals = new Metric({
      name: 'rate_limit_refusals_total',
      help: 'Calls that a rate limit refused, by limit.',
      labelNames: ['limit'],
      registers: [registry],
    });
    const onInvalid = () => invalid.record('limits', 'a rate counter that is no number');
    for (const [name, limit] of Object.entries(config.rateLimits ?? {})) {
      this.windows.set(name as RateLimitName, new RateWindow(name, limit, client, onInvalid));
    }
  }

  /** Counts one call, or several. @throws RateLimited past the limit */
  async consume(name: RateLimitName, key: string, calls = 1): Promise<void> {
    const window = this.windows.get(name);
    if (!window) return;
    const usage = await window.add(key, calls);
    const state = stateOf(window, usage);
    if (usage.consumed > window.points) throw this.refusal(name, state);
    reportRate(state);
  }

  /**
   * Counts calls before it is known how many will be needed, so that concurrent callers cannot pass the limit together.
   * @returns gives back those that were not needed @throws RateLimited past the limit, and then counts none of them
   */
  async reserve(name: RateLimitName, key: string, calls: number): Promise<Reservation['giveBack']> {
    const window = this.windows.get(name);
    if (!window) return async () => undefined;
    const { usage, giveBack } = await window.reserve(key, calls);
    const state = stateOf(window, usage);
    if (usage.consumed > window.points) {
      await giveBack(calls);
      throw this.refusal(name, state);
    }
    reportRate(state);
    return giveBack;
  }

  /** Checks a limit on failures without counting. @throws RateLimited when the limit is used up */
  async assertBelow(name: RateLimitName, key: string): Promise<void> {
    const window = this.windows.get(name);
    const usage = await window?.get(key);
    if (window && usage && usage.consumed >= window.points) throw this.refusal(name, stateOf(window, usage));
  }

  /** Counts one failure. @throws RateLimited past the limit */
  fail(name: RateLimitName, key: string): Promise<void> {
    return this.consume(name, key);
  }

  /**
   * Limits guesses at a secret: checks the counters first and counts each wrong guess.
   *
   * The counters are checked again before the result is returned. Otherwise a hundred parallel guesses would all pass
   * the first check, and the attacker would learn all hundred results. A refusal can therefore follow a successful
   * guess: `guess` must have no effect that the refusal would have to undo.
   * @param guess resolves to false or null for a wrong guess
   * @param successes limits that count right guesses
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

  private refusal(limit: RateLimitName, state: RateState): RateRefused {
    this.refusals.inc({ limit });
    return new RateRefused(state);
  }
}

function stateOf({ points }: RateWindow, { consumed, msLeft }: Usage): RateState {
  return { limit: points, remaining: Math.max(0, points - consumed), reset: Math.max(1, Math.ceil(msLeft / 1000)) };
}

/** `RateLimited` with the state of the limit, from which the error filter sets the headers. */
export class RateRefused extends RateLimited {
  constructor(readonly state: RateState) {
    super({ retryAfter: state.reset });
  }
}

export function rateHeaders(state: RateState): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.limit),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.reset),
  };
}

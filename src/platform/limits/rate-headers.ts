import type { RequestHandler } from 'express';
import type { RateLimiter, RateState } from './rate-limiter.js';
import { rateHeaders } from './rate-limiter.js';

/**
 * Each answer tells where its caller stands: of the limits that the request was counted against, by guards or by
 * services, with the one that is nearest to its end.
 */
export function tellRates(limiter: RateLimiter): RequestHandler {
  return (_request, response, next) => {
    let nearest: RateState | null = null;
    const tell = (state: RateState) => {
      nearest = nearest === null || share(state) < share(nearest) ? state : nearest;
      if (!response.headersSent) response.set(rateHeaders(nearest));
    };
    limiter.telling(tell, () => next());
  };
}

/** How much of the limit is left, from 0 to 1. */
function share({ remaining, limit }: RateState): number {
  return limit === 0 ? 0 : remaining / limit;
}

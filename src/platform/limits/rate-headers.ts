import type { NextFunction, Request, Response } from 'express';
import { onRates } from '../http/present-request.js';
import { rateHeaders } from './rate-limiter.js';
import type { RateState } from './rate-state.js';

/**
 * Each answer tells where its caller stands: of the limits that the request was counted against, by guards or by
 * services, with the one that is nearest to its end.
 */
export function setRateHeaders(_request: Request, response: Response, next: NextFunction): void {
  let nearest: RateState | null = null;
  onRates(state => {
    nearest = nearest === null || share(state) < share(nearest) ? state : nearest;
    if (response.headersSent) return;
    for (const [name, value] of Object.entries(rateHeaders(nearest))) response.setHeader(name, value);
  });
  next();
}

/** How much of the limit is left, from 0 to 1. */
function share({ remaining, limit }: RateState): number {
  return limit === 0 ? 0 : remaining / limit;
}

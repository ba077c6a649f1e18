import type { NextFunction, Request, Response } from 'express';
import { onRates } from '../request/current-request.js';
import { rateHeaders } from './rate-limit.service.js';
import type { RateState } from '../request/rate-state.js';

/**
 * Sets the `RateLimit-*` headers on every response. Of all limits that guards and services counted the request against,
 * they describe the one with the smallest share left.
 */
export function setRateHeaders(_request: Request, response: Response, next: NextFunction): void {
  let nearest: RateState | null = null;
  onRates(state => {
    nearest = nearest === null || remainingShare(state) < remainingShare(nearest) ? state : nearest;
    if (response.headersSent) return;
    for (const [name, value] of Object.entries(rateHeaders(nearest))) response.setHeader(name, value);
  });
  next();
}

/** @returns 0 to 1 */
function remainingShare({ remaining, limit }: RateState): number {
  return limit === 0 ? 0 : remaining / limit;
}

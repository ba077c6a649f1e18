import type { ApiError } from './api-error.js';
import { fullJitter, type Backoff } from './backoff.js';

/** What to do after a socket has ended. */
export type Verdict = { again: true; waitMs: number; freshToken: boolean } | { again: false };

export interface Circumstances {
  /** How many connections in a row have come to nothing. */
  attempt: number;
  backoff: Backoff;
  random: () => number;
  /** False when the token cannot be renewed, or just was: then another one will not help either. */
  renewable: boolean;
}

const STOP: Verdict = { again: false };
const RESTART = 1012;
const TOKEN_EXPIRED = 4003;
const RATE_LIMITED = 4008;
const RESTART_SPREAD_MS = 5_000;
const RATE_LIMIT_WAIT_MS = 10_000;

/** Codes of the protocol itself (frames it forbids, too large, refused by policy) that the next try would meet again. */
const PROTOCOL_STOPS = [1002, 1003, 1007, 1008, 1009, 1010];

/** The service's close codes: 4000–4499 say "connect again", 4500–4999 say "stop". */
export function afterClose(code: number, now: Circumstances): Verdict {
  if (code === TOKEN_EXPIRED) return withFreshToken(now);
  if (code >= 4500 && code <= 4999) return STOP;
  if (PROTOCOL_STOPS.includes(code)) return STOP;
  if (code === RATE_LIMITED) return again(RATE_LIMIT_WAIT_MS);
  if (code === RESTART) return again(Math.round(now.random() * RESTART_SPREAD_MS));
  return again(fullJitter(now.attempt, now.backoff, now.random));
}

/** A handshake that was answered over HTTP, or a token that could not be had. */
export function afterRefusal(error: ApiError, now: Circumstances): Verdict {
  if (error.code === 'token_expired') return withFreshToken(now);
  // Also a proxy's own pages between 500 and 599, which say nothing of what the service thinks.
  const passing = error.transient || error.status === 429 || error.status >= 500;
  if (!passing) return STOP;
  const least = (error.retryAfter ?? 0) * 1000;
  return again(least + fullJitter(now.attempt, now.backoff, now.random));
}

/** At once, for the token ends on every healthy socket; but not in a circle when no token lasts. */
function withFreshToken(now: Circumstances): Verdict {
  if (!now.renewable) return STOP;
  const waitMs = now.attempt === 0 ? 0 : fullJitter(now.attempt, now.backoff, now.random);
  return { again: true, waitMs, freshToken: true };
}

function again(waitMs: number): Verdict {
  return { again: true, waitMs, freshToken: false };
}

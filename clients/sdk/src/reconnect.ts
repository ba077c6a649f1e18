import type { ApiError } from './api-error.js';
import { fullJitter, type Backoff } from './backoff.js';

/** What to do after a socket has ended. */
export type ReconnectDecision = { again: true; waitMs: number; freshToken: boolean } | { again: false };

export interface ReconnectContext {
  /** How many connections in a row have come to nothing. */
  attempt: number;
  backoff: Backoff;
  random: () => number;
  /** False when the token cannot be renewed, or just was: then another one will not help either. */
  renewable: boolean;
}

const STOP: ReconnectDecision = { again: false };
const RESTART = 1012;
const TOKEN_EXPIRED = 4003;
const RATE_LIMITED = 4008;
const RESTART_SPREAD_MS = 5_000;
const RATE_LIMIT_WAIT_MS = 10_000;

/** Codes of the protocol itself (frames it forbids, too large, refused by policy) that the next try would meet again. */
const PROTOCOL_STOPS = [1002, 1003, 1007, 1008, 1009, 1010];

/** The service's close codes: 4000–4499 say "connect again", 4500–4999 say "stop". */
export function decideAfterClose(code: number, now: ReconnectContext): ReconnectDecision {
  if (code === TOKEN_EXPIRED) return reconnectWithFreshToken(now);
  if (code >= 4500 && code <= 4999) return STOP;
  if (PROTOCOL_STOPS.includes(code)) return STOP;
  if (code === RATE_LIMITED) return reconnectAfter(RATE_LIMIT_WAIT_MS);
  if (code === RESTART) return reconnectAfter(Math.round(now.random() * RESTART_SPREAD_MS));
  return reconnectAfter(fullJitter(now.attempt, now.backoff, now.random));
}

/** A handshake that was answered over HTTP, or a token that could not be had. */
export function decideAfterRefusal(error: ApiError, now: ReconnectContext): ReconnectDecision {
  if (error.code === 'token_expired') return reconnectWithFreshToken(now);
  // Also a proxy's own pages between 500 and 599, which say nothing of what the service thinks.
  const temporary = error.transient || error.status === 429 || error.status >= 500;
  if (!temporary) return STOP;
  const minWaitMs = (error.retryAfter ?? 0) * 1000;
  return reconnectAfter(minWaitMs + fullJitter(now.attempt, now.backoff, now.random));
}

/** At once, for the token ends on every healthy socket; but not in a circle when no token lasts. */
function reconnectWithFreshToken(now: ReconnectContext): ReconnectDecision {
  if (!now.renewable) return STOP;
  const waitMs = now.attempt === 0 ? 0 : fullJitter(now.attempt, now.backoff, now.random);
  return { again: true, waitMs, freshToken: true };
}

function reconnectAfter(waitMs: number): ReconnectDecision {
  return { again: true, waitMs, freshToken: false };
}

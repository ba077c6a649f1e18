import type { ApiError } from './api-error.js';
import { fullJitter, type Backoff } from './backoff.js';

/** The decision to reconnect, and when, after a socket has ended. */
export type ReconnectDecision =
  | {
      again: true;
      waitMs: number;
      freshToken: boolean;
      /** The part of the wait that the service has asked for. */
      minWaitMs?: number;
    }
  | { again: false };

export interface ReconnectContext {
  /** Number of failed connections in a row. */
  attempt: number;
  backoff: Backoff;
  random: () => number;
  /** False when the token cannot be renewed, or was just renewed and does not help. */
  renewable: boolean;
}

const STOP: ReconnectDecision = { again: false };
const RESTART = 1012;
const TOKEN_EXPIRED = 4003;
const RATE_LIMITED = 4008;
const RESTART_SPREAD_MS = 5_000;
const RATE_LIMIT_WAIT_MS = 10_000;

/** WebSocket protocol codes (forbidden or too large frames, policy) that a new connection would get again. */
const PROTOCOL_STOPS = [1002, 1003, 1007, 1008, 1009, 1010];

/** Decides by close code: 4000–4499 mean "connect again", 4500–4999 "stop". */
export function decideAfterClose(code: number, context: ReconnectContext): ReconnectDecision {
  if (code === TOKEN_EXPIRED) return reconnectWithFreshToken(context);
  if (code >= 4500 && code <= 4999) return STOP;
  if (PROTOCOL_STOPS.includes(code)) return STOP;
  if (code === RATE_LIMITED) return reconnectAfter(RATE_LIMIT_WAIT_MS, RATE_LIMIT_WAIT_MS);
  if (code === RESTART) return reconnectAfter(Math.round(context.random() * RESTART_SPREAD_MS));
  return reconnectAfter(fullJitter(context.attempt, context.backoff, context.random));
}

/** Decides after a handshake that was refused over HTTP, or a token that could not be obtained. */
export function decideAfterRefusal(error: ApiError, context: ReconnectContext): ReconnectDecision {
  if (error.code === 'token_expired') return reconnectWithFreshToken(context);
  // includes a proxy's own 5xx pages, which are not decisions of the service
  const temporary = error.transient || error.status === 429 || error.status >= 500;
  if (!temporary) return STOP;
  const minWaitMs = (error.retryAfter ?? 0) * 1000;
  return reconnectAfter(minWaitMs + fullJitter(context.attempt, context.backoff, context.random), minWaitMs);
}

/** Reconnects at once, because every token expires; waits after failures, so that a rejected token causes no loop. */
function reconnectWithFreshToken(context: ReconnectContext): ReconnectDecision {
  if (!context.renewable) return STOP;
  const waitMs = context.attempt === 0 ? 0 : fullJitter(context.attempt, context.backoff, context.random);
  return { again: true, waitMs, freshToken: true };
}

function reconnectAfter(waitMs: number, minWaitMs = 0): ReconnectDecision {
  return { again: true, waitMs, freshToken: false, minWaitMs };
}

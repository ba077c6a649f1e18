const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first, second, … failed attempt. After the last one the delivery has failed. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  ...[0.5, 2, 5, 10, 14, 20, 24].map(hours => hours * HOUR_MS),
];
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;
/** Share of a pause by which it varies, so that the retries of one outage spread. */
const JITTER = 0.1;

/**
 * Returns the pause before the next attempt in milliseconds; null after the last attempt.
 * @param attempts made so far, at least 1
 * @param retryAfterMs the endpoint's `Retry-After`. It makes the pause longer, never shorter, up to 24 hours
 * @param random between 0 and 1
 */
export function retryPause(attempts: number, retryAfterMs: number | null, random = Math.random()): number | null {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  const varied = Math.round(pause * (1 + JITTER * (2 * random - 1)));
  return Math.max(varied, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

const BASE_MS = 1_000;
const CAP_MS = 30_000;

/**
 * Wait (ms) before another attempt: doubled each time, up to half a minute, and at least half of that, so that an attempt
 * never follows at once.
 * @param attempt counts from 0
 * @param random returns 0 to 1
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return (0.5 + random() / 2) * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** How long to wait between tries: at most `baseMs`, doubled with each try, never above `capMs`. */
export interface Backoff {
  baseMs: number;
  capMs: number;
}

/**
 * Full jitter: anything from nothing to the whole step, so that clients that lost the same server at the same instant
 * do not come back at the same instant. `attempt` counts from 0.
 */
export function fullJitter(attempt: number, { baseMs, capMs }: Backoff, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30)));
}

export function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

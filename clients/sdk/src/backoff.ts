/** Wait between retries: at most `baseMs`, doubled with each retry, never above `capMs`. */
export interface Backoff {
  baseMs: number;
  capMs: number;
}

/**
 * Returns a random wait in milliseconds between 0 and the whole step. Clients that lost the same server at the same
 * time then do not reconnect at the same time. `attempt` counts from 0.
 */
export function fullJitter(attempt: number, { baseMs, capMs }: Backoff, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30)));
}

export function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '@support-chat/sdk';

/** Waits out rate limits: a long play says more in a minute than people do, and a request that was refused did nothing. */
export async function retryRateLimited<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      await wait((error.retryAfter ?? 1) * 1000);
    }
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '@support-chat/sdk';

/** Retries a call until it is not rate limited. This is safe, because a rate-limited request has no effect. */
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

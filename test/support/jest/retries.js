import { jest } from '@jest/globals';

/**
 * CI repeats a failed test once (TEST_RETRIES), since the machine may be too busy for it. The summary lists a test that
 * passes then as unstable.
 */
jest.retryTimes(Number(process.env.TEST_RETRIES ?? 0), { logErrorsBeforeRetry: true, waitBeforeRetry: 2_000 });

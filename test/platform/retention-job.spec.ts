import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RetentionJob } from '../../src/platform/database/retention.job.js';

const HOUR_MS = 3_600_000;

class LetterRetentionJob extends RetentionJob {
  protected readonly rowsName = 'letters';
  readonly deleteExpired = jest.fn(() => Promise.resolve(1));
}

let job: LetterRetentionJob;
beforeEach(() => {
  jest.useFakeTimers();
  job = new LetterRetentionJob();
  job.onApplicationBootstrap();
});
afterEach(() => {
  job.onApplicationShutdown();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('A retention job', () => {
  it('A retention job deletes expired rows once an hour.', () => {
    jest.advanceTimersByTime(HOUR_MS - 1);
    expect(job.deleteExpired).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(job.deleteExpired).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(5 * HOUR_MS);
    expect(job.deleteExpired).toHaveBeenCalledTimes(6);
  });

  it('A retention job that cannot reach the database logs a warning and retries after an hour.', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    job.deleteExpired.mockRejectedValueOnce(new Error('no connection'));
    await job.run();
    expect(warn.mock.calls).toEqual([['old letters stay: Error: no connection']]);
    jest.advanceTimersByTime(HOUR_MS);
    expect(job.deleteExpired).toHaveBeenCalledTimes(2);
  });

  it('A retention job stops with the service.', () => {
    job.onApplicationShutdown();
    jest.advanceTimersByTime(3 * HOUR_MS);
    expect(job.deleteExpired).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});

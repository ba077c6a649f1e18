import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RetentionJob } from '../../src/platform/database/retention.job.js';

const HOUR_MS = 3_600_000;

class OldLetters extends RetentionJob {
  protected readonly rowsName = 'letters';
  readonly deleteExpired = jest.fn(() => Promise.resolve(1));
}

let letters: OldLetters;
beforeEach(() => {
  jest.useFakeTimers();
  letters = new OldLetters();
  letters.onApplicationBootstrap();
});
afterEach(() => {
  letters.onApplicationShutdown();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('rows that have had their day', () => {
  it('are dropped once an hour', () => {
    jest.advanceTimersByTime(HOUR_MS - 1);
    expect(letters.deleteExpired).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(letters.deleteExpired).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(5 * HOUR_MS);
    expect(letters.deleteExpired).toHaveBeenCalledTimes(6);
  });

  it('stay where the database cannot be asked, which the log says, until the next hour', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    letters.deleteExpired.mockRejectedValueOnce(new Error('no connection'));
    await letters.run();
    expect(warn.mock.calls).toEqual([['old letters stay: Error: no connection']]);
    jest.advanceTimersByTime(HOUR_MS);
    expect(letters.deleteExpired).toHaveBeenCalledTimes(2);
  });

  it('are left alone once the service stops', () => {
    letters.onApplicationShutdown();
    jest.advanceTimersByTime(3 * HOUR_MS);
    expect(letters.deleteExpired).not.toHaveBeenCalled();
    expect(jest.getTimerCount()).toBe(0);
  });
});

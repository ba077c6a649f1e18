import { jest } from '@jest/globals';

/** Counts how often an action reads the local time of any time zone. */
export async function localClockReads(action: () => unknown): Promise<number> {
  const { prototype } = Intl.DateTimeFormat;
  const format = jest.spyOn(prototype as unknown as { format: string }, 'format', 'get');
  const parts = jest.spyOn(prototype, 'formatToParts');
  try {
    await action();
    return format.mock.calls.length + parts.mock.calls.length;
  } finally {
    format.mockRestore();
    parts.mockRestore();
  }
}

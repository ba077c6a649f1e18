import { jest } from '@jest/globals';

/** How often the local clock of any time zone is read while the action runs. */
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

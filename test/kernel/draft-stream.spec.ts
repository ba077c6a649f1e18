import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DraftStream } from '../../src/modules/bot-dialogue/draft-stream.js';

interface Frame {
  at: number;
  text: string;
  state: string;
}

let frames: Frame[];
let draft: DraftStream;
beforeEach(() => {
  jest.useFakeTimers();
  frames = [];
  draft = new DraftStream('draft', (text, state) => void frames.push({ at: performance.now(), text, state }));
});
afterEach(() => void jest.useRealTimers());

/** Appends a piece every 10 ms for this long. */
function append(piece: string, ms: number): void {
  for (let passed = 0; passed < ms; passed += 10) {
    draft.append(piece);
    jest.advanceTimersByTime(10);
  }
}

/** The largest number of frames within a second. */
function perSecond(shown: readonly Frame[]): number {
  return Math.max(...shown.map(({ at }) => shown.filter(frame => frame.at >= at && frame.at < at + 1_000).length));
}

describe('The frames of a draft', () => {
  it('A draft is shown with its first piece at once.', () => {
    draft.append('Your ');
    expect(frames).toMatchObject([{ text: 'Your ', state: 'streaming' }]);
  });

  it('A draft that grows all the time is shown five times a second, each time with all its text so far.', () => {
    append('x', 5_000);
    expect(perSecond(frames)).toBe(5);
    expect(frames.length).toBeGreaterThanOrEqual(25);
    const begin = frames[0]!.at;
    for (const { at, text } of frames) expect(text).toHaveLength(Math.max(1, Math.round((at - begin) / 10)));
  });

  it('A draft of more than 4,000 characters is shown twice a second.', () => {
    append('x'.repeat(40), 6_000);
    const long = frames.filter(({ text }) => text.length > 4_000);
    expect(perSecond(frames.filter(({ text }) => text.length <= 4_000))).toBe(5);
    expect(perSecond(long)).toBe(2);
    expect(long.length).toBeGreaterThanOrEqual(10);
  });

  it('A piece that comes within a pause is shown at the end of the pause, without another piece.', () => {
    draft.append('Your ');
    draft.append('parcel');
    jest.advanceTimersByTime(199);
    expect(frames).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(frames.map(({ text }) => text)).toEqual(['Your ', 'Your parcel']);
    jest.advanceTimersByTime(10_000);
    expect(frames).toHaveLength(2);
  });

  it.each(['done', 'cancelled'] as const)('The last frame is %s, has all the text, and no frame follows it.', state => {
    draft.append('Your ');
    draft.append('parcel');
    draft.end(state);
    jest.advanceTimersByTime(10_000);
    expect(frames).toMatchObject([
      { text: 'Your ', state: 'streaming' },
      { text: 'Your parcel', state },
    ]);
  });
});

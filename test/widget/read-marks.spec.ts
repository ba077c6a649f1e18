import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ReadMarks } from '../../clients/widget/src/state/read-marks.js';

/** Reads that the service has received, and how it answers them. */
let received: [string, number][];
let answer: () => Promise<void>;
let marks: ReadMarks;
/** `seq` of the newest message. */
let seq: number;
let id: string;
let isInView: boolean;
let isRead: boolean;

beforeEach(() => {
  jest.useFakeTimers();
  received = [];
  answer = () => Promise.resolve();
  [id, seq, isInView, isRead] = ['c1', 3, true, false];
  marks = new ReadMarks({
    inView: () => (isInView && !isRead ? { id, seq } : undefined),
    mark: () => void (isRead = true),
    send: newest => {
      received.push([newest.id, newest.seq]);
      return answer();
    },
  });
});

const fail = (status: number) => () => Promise.reject(Object.assign(new Error('refused'), { status }));
const see = (): Promise<void> => {
  marks.schedule();
  return jest.advanceTimersByTimeAsync(500);
};

describe('What a visitor has read', () => {
  it('The service learns of reading that the network has lost with the next connection, and once', async () => {
    answer = fail(0);
    await see();
    expect([received, isRead]).toEqual([[['c1', 3]], true]);
    answer = () => Promise.resolve();
    await marks.flush();
    await marks.flush();
    expect(received).toEqual([
      ['c1', 3],
      ['c1', 3],
    ]);
  });

  it('Only the latest message counts of those that were read without a network', async () => {
    answer = fail(0);
    await see();
    [seq, isRead] = [5, false];
    await see();
    received.length = 0;
    answer = () => Promise.resolve();
    await marks.flush();
    expect(received).toEqual([['c1', 5]]);
  });

  it('What the service refuses is not sent again, unless there were too many requests', async () => {
    answer = fail(429);
    await see();
    answer = fail(404);
    await marks.flush();
    await marks.flush();
    expect(received).toHaveLength(2);
  });

  it('A message that leaves the view before it has been there long enough is not read', async () => {
    marks.schedule();
    isInView = false;
    await jest.advanceTimersByTimeAsync(500);
    expect([received, isRead]).toEqual([[], false]);
  });

  it('A message that is in view while the visitor types is read, although the page is drawn again with each key', async () => {
    for (let key = 0; key < 6; key += 1) {
      marks.schedule();
      await jest.advanceTimersByTimeAsync(100);
    }
    expect([received, isRead]).toEqual([[['c1', 3]], true]);
  });

  it('The mark of a message leaves a later one unread that has not been in view', async () => {
    marks.schedule();
    seq = 5;
    await jest.advanceTimersByTimeAsync(500);
    expect([received, isRead]).toEqual([[], false]);
    await see();
    expect([received, isRead]).toEqual([[['c1', 5]], true]);
  });

  it('A conversation that is opened instead of another one begins a wait of its own', async () => {
    marks.schedule();
    await jest.advanceTimersByTimeAsync(300);
    id = 'c2';
    marks.schedule();
    await jest.advanceTimersByTimeAsync(300);
    expect(received).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(received).toEqual([['c2', 3]]);
  });

  it('A message that is not in view is not read, and a former visitor is forgotten', async () => {
    isInView = false;
    await see();
    expect([received, isRead]).toEqual([[], false]);
    isInView = true;
    answer = fail(0);
    await see();
    marks.clear();
    await marks.flush();
    expect(received).toHaveLength(1);
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ChatController } from '../../clients/widget/src/chat.js';
import { ReadMarks } from '../../clients/widget/src/state/read-marks.js';
import { FakePage } from '../sdk/fake-page.js';

let page: FakePage;
/** Reads that the service has received, and how it answers them. */
let received: [string, number][];
let answer: () => Promise<void>;
let marks: ReadMarks;
let view: { id: string; last_seq: number; unread: { contact: number } };

beforeEach(() => {
  jest.useFakeTimers();
  page = new FakePage();
  received = [];
  answer = () => Promise.resolve();
  view = { id: 'c1', last_seq: 3, unread: { contact: 2 } };
  const client = {
    read: (id: string, seq: number) => {
      received.push([id, seq]);
      return answer();
    },
  };
  const chat = {
    thread: { view },
    isOpen: true,
    state: { markRead: () => (view.unread.contact = 0) },
    connection: { client: () => Promise.resolve(client) },
    changed() {},
  };
  marks = new ReadMarks(chat as unknown as ChatController);
});
afterEach(() => page.remove());

const fail = (status: number) => () => Promise.reject(Object.assign(new Error('refused'), { status }));
const see = (): Promise<void> => {
  marks.schedule();
  return jest.advanceTimersByTimeAsync(500);
};

describe('What a visitor has read', () => {
  it('The service learns of reading that the network has lost with the next connection, and once', async () => {
    answer = fail(0);
    await see();
    expect([received, view.unread.contact]).toEqual([[['c1', 3]], 0]);
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
    Object.assign(view, { last_seq: 5, unread: { contact: 1 } });
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

  it('A message that is not in view is not read, and a former visitor is forgotten', async () => {
    page.hide();
    await see();
    expect([received, view.unread.contact]).toEqual([[], 2]);
    page.show();
    answer = fail(0);
    await see();
    marks.clear();
    await marks.flush();
    expect(received).toHaveLength(1);
  });
});

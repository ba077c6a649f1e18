import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SnapshotWriter } from '../../clients/dashboard/src/desk/snapshot-writer.js';
import type { Snapshot, SnapshotStorage } from '../../clients/dashboard/src/snapshot/snapshot-storage.js';

const SNAPSHOT = { members: [] } as unknown as Snapshot;

let calls: string[];
let sessionId: string | undefined;
let idle: Promise<void>;
let snapshot: Snapshot | undefined;
let writer: SnapshotWriter;

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
  [calls, sessionId, idle, snapshot] = [[], 's1', Promise.resolve(), SNAPSHOT];
  const storage = {
    write: (id: string) => Promise.resolve(void calls.push(`write ${id}`)),
    clear: () => Promise.resolve(void calls.push('clear')),
  };
  writer = new SnapshotWriter(storage as unknown as SnapshotStorage, {
    sessionId: () => sessionId,
    idle: () => idle,
    take: () => snapshot,
  });
});
afterEach(() => {
  writer.close();
  jest.useRealTimers();
});

describe('The writer of snapshots', () => {
  it('Many changes are written once, three seconds later, and further ones after a quarter of a minute.', async () => {
    for (let change = 0; change < 10; change += 1) writer.requireWrite();
    await pass(2_900);
    expect(calls).toEqual([]);
    await pass(200);
    expect(calls).toEqual(['write s1']);
    writer.requireWrite();
    await pass(14_000);
    expect(calls).toEqual(['write s1']);
    await pass(1_000);
    expect(calls).toEqual(['write s1', 'write s1']);
    await pass(60_000);
    expect(calls).toHaveLength(2);
  });

  it('A snapshot waits until everything that is missing was read.', async () => {
    let read = (): void => undefined;
    idle = new Promise(resolve => (read = resolve));
    writer.requireWrite();
    await pass(10_000);
    expect(calls).toEqual([]);
    read();
    await pass(0);
    expect(calls).toEqual(['write s1']);
  });

  it('Something that must not stay is removed at once, and the rest is written again.', async () => {
    writer.requireWrite();
    await pass(3_000);
    writer.wipe();
    expect(calls).toEqual(['write s1', 'clear']);
    await pass(15_000);
    expect(calls).toEqual(['write s1', 'clear', 'write s1']);
  });

  it('Nothing is written of a session that has ended, of a closed page, or while there is nothing to show.', async () => {
    snapshot = undefined;
    writer.requireWrite();
    await pass(3_000);
    [snapshot, sessionId] = [SNAPSHOT, undefined];
    writer.requireWrite();
    await pass(3_000);
    sessionId = 's1';
    writer.requireWrite();
    writer.close();
    writer.requireWrite();
    await pass(60_000);
    expect(calls).toEqual([]);
  });
});

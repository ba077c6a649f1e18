import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MemoryTokenStore, type MeView } from '@support-chat/sdk';
import { Entrance } from '../../clients/dashboard/src/entrance/entrance.js';
import type { Snapshot, SnapshotStorage } from '../../clients/dashboard/src/snapshot/snapshot-storage.js';

const SESSION = 's1';
const ME = { member: { id: 'm1' } } as MeView;
const SNAPSHOT = { me: ME } as Snapshot;

/** A JWT with the claim `sid` and an invalid signature. */
const TOKEN = ['header', Buffer.from(JSON.stringify({ sid: SESSION })).toString('base64url'), 'signature'].join('.');

/** A page with a stored session, whose snapshot is read in some time. The service does not answer. */
async function open(read: (sessionId: string) => Promise<Snapshot | undefined>): Promise<Entrance> {
  const store = new MemoryTokenStore();
  store.write({ token: TOKEN, refresh_token: 'refresh' });
  const snapshots = { read, clear: () => Promise.resolve() } as unknown as SnapshotStorage;
  const entrance = new Entrance({ baseUrl: 'http://service.example', store, snapshots });
  await entrance.open();
  return entrance;
}

const after = <T>(ms: number, value: T) => new Promise<T>(resolve => setTimeout(() => resolve(value), ms));

describe('The entrance of the dashboard without an answer of the service', () => {
  beforeEach(() => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('no network'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('A snapshot is shown also if the service was unreachable before it was read.', async () => {
    const read = jest.fn((_sessionId: string) => after(100, SNAPSHOT));
    const entrance = await open(read);
    expect(entrance.state.peek()).toMatchObject({ screen: 'signed-in', session: { me: ME, snapshot: SNAPSHOT } });
    expect(read.mock.calls).toEqual([[SESSION]]);
  });

  it.each([
    ['has none', () => Promise.resolve(undefined)],
    ['does not answer', () => new Promise<undefined>(() => undefined)],
  ])('The screen says that there is no connection if the storage of snapshots %s.', async (_what, read) => {
    const entrance = await open(read);
    expect(entrance.state.peek()).toMatchObject({ screen: 'unreachable' });
  });
});

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceStore } from '../../src/platform/presence/presence-store.js';
import type { PresenceChange } from '../../src/platform/presence/presence-change.js';
import { eventually } from '../support/eventually.js';

/** Starts connected instances of an implementation; only one if it works within one process. */
export interface PresenceStoreImplementation {
  name: string;
  instances(): Promise<PresenceStore[]>;
}

/** Listens for changes of rooms with the prefix. @returns the list that changes are added to, without their times */
function recordChanges(instance: PresenceStore, prefix: string): Omit<PresenceChange, 'at'>[] {
  const changes: Omit<PresenceChange, 'at'>[] = [];
  instance.listen(({ at: _at, ...change }) => {
    if (change.group.startsWith(prefix)) changes.push(change);
  });
  return changes;
}

/** Defines the tests that every implementation of `PresenceStore` must pass. */
export function presenceStoreSuite(implementation: PresenceStoreImplementation): void {
  const { name } = implementation;
  describe(`${name} as a presence store`, () => {
    let instances: PresenceStore[];
    let one: PresenceStore;
    let last: PresenceStore;
    /** A new room for each test. */
    let room: string;
    beforeEach(async () => {
      room = `desk-${randomUUID()}`;
      instances = await implementation.instances();
      [one, last] = [instances[0] as PresenceStore, instances.at(-1) as PresenceStore];
    });
    afterEach(async () => {
      for (const instance of instances) await instance.close(0);
    });

    /** Waits until the condition is true for every instance. */
    async function everywhere(condition: (instance: PresenceStore) => boolean): Promise<void> {
      await eventually(() => instances.every(condition) || undefined);
    }

    it(`${name} shows a subject and its metadata on every instance, and on its own at once`, async () => {
      one.enter(room, 'ada', 'online');
      expect(one.findMetadata(room, 'ada')).toBe('online');
      await everywhere(instance => instance.findMetadata(room, 'ada') === 'online');
      expect([...last.listPresent(room)]).toEqual([['ada', 'online']]);
    });

    it(`${name} keeps rooms apart, even if one name is a prefix of another`, async () => {
      one.enter(room, 'ada', '1');
      one.enter(`${room}s`, 'ada', '2');
      one.enter(room, 'ada b', '3');
      await everywhere(instance => instance.findMetadata(`${room}s`, 'ada') === '2');
      await everywhere(instance => instance.listPresent(room).size === 2);
      expect(last.findMetadata(room, 'ada')).toBe('1');
      expect(last.findMetadata(room, 'ada b')).toBe('3');
      expect(last.findMetadata(room.slice(0, -1), `${room.slice(-1)} ada`)).toBeUndefined();
      expect([...last.listPresent('nowhere')]).toEqual([]);
    });

    it(`${name} removes a subject once it has left every instance that it entered`, async () => {
      instances.forEach((instance, index) => {
        instance.enter(room, 'ada', 'x');
        instance.enter(room, `mark ${index}`, 'x');
      });
      await everywhere(instance => instance.listPresent(room).size === instances.length + 1);
      const changes = instances.map(instance => recordChanges(instance, room));
      for (const instance of instances.slice(1)) instance.leave(room, 'ada');
      one.leave(room, 'mark 0');
      await everywhere(instance => instance.findMetadata(room, 'mark 0') === undefined);
      if (instances.length > 1)
        expect(instances.map(instance => instance.findMetadata(room, 'ada'))).not.toContain(undefined);
      one.leave(room, 'ada');
      await everywhere(instance => instance.findMetadata(room, 'ada') === undefined);
      const gone = (id: string) => ({ group: room, id, before: 'x', after: undefined });
      for (const list of changes) expect(list).toEqual([gone('mark 0'), gone('ada')]);
    });

    it(`${name} calls listeners once per change, at once on its own instance, and not without a change`, async () => {
      const changes = instances.map(instance => recordChanges(instance, room));
      one.enter(room, 'ada', 'online');
      expect(changes[0]).toHaveLength(1);
      one.enter(room, 'ada', 'online');
      one.leave(room, 'nobody');
      await everywhere(instance => instance.findMetadata(room, 'ada') === 'online');
      one.enter(room, 'ada', 'away');
      await everywhere(instance => instance.findMetadata(room, 'ada') === 'away');
      one.leave(room, 'ada');
      one.leave(room, 'ada');
      await everywhere(instance => instance.findMetadata(room, 'ada') === undefined);
      for (const list of changes) {
        expect(list).toEqual([
          { group: room, id: 'ada', before: undefined, after: 'online' },
          { group: room, id: 'ada', before: 'online', after: 'away' },
          { group: room, id: 'ada', before: 'away', after: undefined },
        ]);
      }
    });

    it(`${name} keeps the metadata that was set last, on whichever instance`, async () => {
      instances.forEach((instance, index) => {
        instance.enter(room, 'ada', 'online');
        instance.enter(room, `end ${index}`, '');
      });
      await everywhere(instance => instance.listPresent(room).size === instances.length + 1);
      last.enter(room, 'ada', 'away');
      await everywhere(instance => instance.findMetadata(room, 'ada') === 'away');
      one.enter(room, 'ada', 'offline');
      await everywhere(instance => instance.findMetadata(room, 'ada') === 'offline');
    });

    it(`${name} passes the time at which a subject was last seen to listeners`, async () => {
      const times: number[] = [];
      for (const instance of instances) instance.listen(({ after, at }) => after === undefined && times.push(at));
      one.enter(room, 'ada', '');
      await everywhere(instance => instance.findMetadata(room, 'ada') === '');
      one.leave(room, 'ada', 1_795_219_200_123);
      await everywhere(instance => instance.findMetadata(room, 'ada') === undefined);
      expect(times).toEqual(instances.map(() => 1_795_219_200_123));
    });

    it(`${name} has the same subjects on every instance after thousands of concurrent changes`, async () => {
      const expected = new Map<string, string>();
      for (let index = 0; index < 3_000; index += 1) {
        const by = instances[index % instances.length] as PresenceStore;
        by.enter(room, `guest ${index}`, `note "${index}" ключ`);
        if (index % 3 === 0) by.enter(room, `guest ${index}`, 'changed');
        if (index % 5 === 0) by.leave(room, `guest ${index}`);
        else expected.set(`guest ${index}`, index % 3 === 0 ? 'changed' : `note "${index}" ключ`);
      }
      await everywhere(instance => instance.listPresent(room).size === expected.size);
      const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => a.localeCompare(b));
      for (const instance of instances) expect(sorted(instance.listPresent(room))).toEqual(sorted(expected));
    });

    it(`${name} keeps calling listeners after one has thrown, and lets one remove itself while it is called`, async () => {
      one.listen(() => {
        throw new Error('this listener fails');
      });
      const brief: string[] = [];
      const end = one.listen(({ id }) => {
        brief.push(id);
        end();
      });
      const changes = recordChanges(one, room);
      expect(() => {
        one.enter(room, 'ada', '1');
        one.enter(room, 'mark', '1');
      }).not.toThrow();
      end();
      expect(changes.map(({ id }) => id)).toEqual(['ada', 'mark']);
      expect(brief).toEqual(['ada']);
    });

    it(`${name} calls no listener after close, which may be called twice, and does not throw`, async () => {
      const changes = recordChanges(one, room);
      await one.close(0);
      await one.close(0);
      expect(() => {
        one.enter(room, 'ada', '1');
        one.leave(room, 'ada');
      }).not.toThrow();
      expect(changes).toEqual([]);
    });
  });
}

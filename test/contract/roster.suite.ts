import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceStore } from '../../src/platform/presence/presence-store.js';
import type { PresenceChange } from '../../src/platform/presence/presence-change.js';
import { eventually } from '../support/eventually.js';

/** How a twin is set up: instances that know of each other, just one where there is only this process. */
export interface RosterTwin {
  name: string;
  instances(): Promise<PresenceStore[]>;
}

/** What a listener has heard, without the times. */
function ear(instance: PresenceStore, prefix: string): Omit<PresenceChange, 'at'>[] {
  const heard: Omit<PresenceChange, 'at'>[] = [];
  instance.listen(({ group, id, before, after }) => {
    if (group.startsWith(prefix)) heard.push({ group, id, before, after });
  });
  return heard;
}

/** What every roster promises, wherever it keeps what it knows. */
export function rosterSuite(twin: RosterTwin): void {
  describe(`${twin.name} as a roster`, () => {
    let instances: PresenceStore[];
    let one: PresenceStore;
    let last: PresenceStore;
    /** A room of each test's own. */
    let desk: string;
    beforeEach(async () => {
      desk = `desk-${randomUUID()}`;
      instances = await twin.instances();
      [one, last] = [instances[0] as PresenceStore, instances.at(-1) as PresenceStore];
    });
    afterEach(async () => {
      for (const instance of instances) await instance.close(0);
    });

    /** Until every instance says so. */
    async function everywhere(says: (instance: PresenceStore) => boolean): Promise<void> {
      await eventually(() => instances.every(says) || undefined);
    }

    it('says on every instance who is there and what was said of them, and on its own at once', async () => {
      one.enter(desk, 'ada', 'online');
      expect(one.findMetadata(desk, 'ada')).toBe('online');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === 'online');
      expect([...last.listPresent(desk)]).toEqual([['ada', 'online']]);
    });

    it('keeps rooms apart, also those of whose names one begins like the other', async () => {
      one.enter(desk, 'ada', '1');
      one.enter(`${desk}s`, 'ada', '2');
      one.enter(desk, 'ada b', '3');
      await everywhere(instance => instance.findMetadata(`${desk}s`, 'ada') === '2');
      await everywhere(instance => instance.listPresent(desk).size === 2);
      expect(last.findMetadata(desk, 'ada')).toBe('1');
      expect(last.findMetadata(desk, 'ada b')).toBe('3');
      expect(last.findMetadata(desk.slice(0, -1), `${desk.slice(-1)} ada`)).toBeUndefined();
      expect([...last.listPresent('nowhere')]).toEqual([]);
    });

    it('says that somebody is gone when every instance that held them has let them go', async () => {
      instances.forEach((instance, index) => {
        instance.enter(desk, 'ada', 'x');
        instance.enter(desk, `mark ${index}`, 'x');
      });
      await everywhere(instance => instance.listPresent(desk).size === instances.length + 1);
      const heard = instances.map(instance => ear(instance, desk));
      for (const instance of instances.slice(1)) instance.leave(desk, 'ada');
      one.leave(desk, 'mark 0');
      await everywhere(instance => instance.findMetadata(desk, 'mark 0') === undefined);
      if (instances.length > 1)
        expect(instances.map(instance => instance.findMetadata(desk, 'ada'))).not.toContain(undefined);
      one.leave(desk, 'ada');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === undefined);
      const gone = (id: string) => ({ group: desk, id, before: 'x', after: undefined });
      for (const own of heard) expect(own).toEqual([gone('mark 0'), gone('ada')]);
    });

    it('tells listeners of each change once, at once on its own instance, and of nothing that is none', async () => {
      const heard = instances.map(instance => ear(instance, desk));
      one.enter(desk, 'ada', 'online');
      expect(heard[0]).toHaveLength(1);
      one.enter(desk, 'ada', 'online');
      one.leave(desk, 'nobody');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === 'online');
      one.enter(desk, 'ada', 'away');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === 'away');
      one.leave(desk, 'ada');
      one.leave(desk, 'ada');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === undefined);
      for (const own of heard) {
        expect(own).toEqual([
          { group: desk, id: 'ada', before: undefined, after: 'online' },
          { group: desk, id: 'ada', before: 'online', after: 'away' },
          { group: desk, id: 'ada', before: 'away', after: undefined },
        ]);
      }
    });

    it('lets the last word hold, whoever has it', async () => {
      instances.forEach((instance, index) => {
        instance.enter(desk, 'ada', 'online');
        instance.enter(desk, `end ${index}`, '');
      });
      await everywhere(instance => instance.listPresent(desk).size === instances.length + 1);
      last.enter(desk, 'ada', 'away');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === 'away');
      one.enter(desk, 'ada', 'offline');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === 'offline');
    });

    it('tells when those who leave were last here', async () => {
      const times: number[] = [];
      for (const instance of instances) instance.listen(({ after, at }) => after === undefined && times.push(at));
      one.enter(desk, 'ada', '');
      await everywhere(instance => instance.findMetadata(desk, 'ada') === '');
      one.leave(desk, 'ada', 1_795_219_200_123);
      await everywhere(instance => instance.findMetadata(desk, 'ada') === undefined);
      expect(times).toEqual(instances.map(() => 1_795_219_200_123));
    });

    it('is right on every instance after many have come, changed and gone at once', async () => {
      const expected = new Map<string, string>();
      for (let index = 0; index < 3_000; index += 1) {
        const by = instances[index % instances.length] as PresenceStore;
        by.enter(desk, `guest ${index}`, `note "${index}" ключ`);
        if (index % 3 === 0) by.enter(desk, `guest ${index}`, 'changed');
        if (index % 5 === 0) by.leave(desk, `guest ${index}`);
        else expected.set(`guest ${index}`, index % 3 === 0 ? 'changed' : `note "${index}" ключ`);
      }
      await everywhere(instance => instance.listPresent(desk).size === expected.size);
      const sorted = (map: ReadonlyMap<string, string>) => [...map].sort(([a], [b]) => a.localeCompare(b));
      for (const instance of instances) expect(sorted(instance.listPresent(desk))).toEqual(sorted(expected));
    });

    it('lets a listener that throws harm nobody, and one end its own listening while it is called', async () => {
      one.listen(() => {
        throw new Error('a listener of the test’s own');
      });
      const brief: string[] = [];
      const end = one.listen(({ id }) => {
        brief.push(id);
        end();
      });
      const heard = ear(one, desk);
      expect(() => {
        one.enter(desk, 'ada', '1');
        one.enter(desk, 'mark', '1');
      }).not.toThrow();
      end();
      expect(heard.map(({ id }) => id)).toEqual(['ada', 'mark']);
      expect(brief).toEqual(['ada']);
    });

    it('falls silent when it is closed, which may happen twice, and still does not throw', async () => {
      const heard = ear(one, desk);
      await one.close(0);
      await one.close(0);
      expect(() => {
        one.enter(desk, 'ada', '1');
        one.leave(desk, 'ada');
      }).not.toThrow();
      expect(heard).toEqual([]);
    });
  });
}

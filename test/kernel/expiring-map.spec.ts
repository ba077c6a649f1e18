import { describe, expect, it } from '@jest/globals';
import { ExpiringMap } from '../../src/kernel/expiring-map.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000);

describe('ExpiringMap', () => {
  it('ExpiringMap accepts each key once per window and accepts it again when the window is over', () => {
    const map = new ExpiringMap(60_000);
    const accepted = [0, 1, 59, 60, 61, 119, 120].map(second => map.addIfAbsent('a', at(second)));
    expect(accepted).toEqual([true, false, false, true, false, false, true]);
    expect(map.addIfAbsent('b', at(120))).toBe(true);
  });

  it('A full ExpiringMap rejects new keys until its oldest entry expires', () => {
    const map = new ExpiringMap(60_000, 3);
    expect(['a', 'b', 'c', 'd'].map((key, second) => map.addIfAbsent(key, at(second)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(map.addIfAbsent('d', at(59))).toBe(false);
    expect(map.addIfAbsent('d', at(60))).toBe(true);
    expect(map.addIfAbsent('e', at(60))).toBe(false);
  });

  it('ExpiringMap returns the value set last and drops expired entries when a new key is set', () => {
    const map = new ExpiringMap<string>(60_000);
    map.set('a', 0, 'first');
    map.set('b', 1_000, 'only');
    map.set('a', 2_000, 'last');
    expect(map.get('a')).toEqual({ at: 2_000, value: 'last' });
    map.set('c', 61_500, 'late');
    expect([map.get('a')?.value, map.get('b')]).toEqual(['last', undefined]);
  });

  it('ExpiringMap accepts a key again when the clock goes back by more than the window, but not by less', () => {
    const map = new ExpiringMap(60_000);
    expect([30, 0, 4_000, 0, 10].map(second => map.addIfAbsent('a', at(second)))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(map.addIfAbsent('b', at(8_000))).toBe(true);
    expect(map.addIfAbsent('c', at(0))).toBe(true);
  });
});

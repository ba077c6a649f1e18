import { describe, expect, it } from '@jest/globals';
import { ExpiringMap } from '../../src/kernel/expiring-map.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000);

describe('what has happened recently', () => {
  it('is news once in its while, each thing for itself, and again after it', () => {
    const recently = new ExpiringMap(60_000);
    const told = [0, 1, 59, 60, 61, 119, 120].map(second => recently.addIfAbsent('a', at(second)));
    expect(told).toEqual([true, false, false, true, false, false, true]);
    expect(recently.addIfAbsent('b', at(120))).toBe(true);
  });

  it('is no news past as many things as are remembered, until the oldest is forgotten', () => {
    const recently = new ExpiringMap(60_000, 3);
    expect(['a', 'b', 'c', 'd'].map((what, second) => recently.addIfAbsent(what, at(second)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(recently.addIfAbsent('d', at(59))).toBe(false);
    expect(recently.addIfAbsent('d', at(60))).toBe(true);
    expect(recently.addIfAbsent('e', at(60))).toBe(false);
  });

  it('is remembered as it was last, and no longer than its while once there is news', () => {
    const recently = new ExpiringMap<string>(60_000);
    recently.set('a', 0, 'first');
    recently.set('b', 1_000, 'only');
    recently.set('a', 2_000, 'last');
    expect(recently.get('a')).toEqual({ at: 2_000, value: 'last' });
    recently.set('c', 61_500, 'late');
    expect([recently.get('a')?.value, recently.get('b')]).toEqual(['last', undefined]);
  });

  it('is news again where the clock goes back by more than the while, and not where it goes back by less', () => {
    const recently = new ExpiringMap(60_000);
    expect([30, 0, 4_000, 0, 10].map(second => recently.addIfAbsent('a', at(second)))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(recently.addIfAbsent('b', at(8_000))).toBe(true);
    expect(recently.addIfAbsent('c', at(0))).toBe(true);
  });
});

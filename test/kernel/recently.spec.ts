import { describe, expect, it } from '@jest/globals';
import { Recently } from '../../src/kernel/recently.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1000);

describe('what has happened recently', () => {
  it('is news once in its while, each thing for itself, and again after it', () => {
    const recently = new Recently(60_000);
    const told = [0, 1, 59, 60, 61, 119, 120].map(second => recently.isNews('a', at(second)));
    expect(told).toEqual([true, false, false, true, false, false, true]);
    expect(recently.isNews('b', at(120))).toBe(true);
  });

  it('is no news past as many things as are remembered, until the oldest is forgotten', () => {
    const recently = new Recently(60_000, 3);
    expect(['a', 'b', 'c', 'd'].map((what, second) => recently.isNews(what, at(second)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(recently.isNews('d', at(59))).toBe(false);
    expect(recently.isNews('d', at(60))).toBe(true);
    expect(recently.isNews('e', at(60))).toBe(false);
  });

  it('is remembered as it was last, and no longer than its while once there is news', () => {
    const recently = new Recently<string>(60_000);
    recently.note('a', 0, 'first');
    recently.note('b', 1_000, 'only');
    recently.note('a', 2_000, 'last');
    expect(recently.of('a')).toEqual({ at: 2_000, value: 'last' });
    recently.note('c', 61_500, 'late');
    expect([recently.of('a')?.value, recently.of('b')]).toEqual(['last', undefined]);
  });

  it('is news again where the clock goes back by more than the while, and not where it goes back by less', () => {
    const recently = new Recently(60_000);
    expect([30, 0, 4_000, 0, 10].map(second => recently.isNews('a', at(second)))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(recently.isNews('b', at(8_000))).toBe(true);
    expect(recently.isNews('c', at(0))).toBe(true);
  });
});

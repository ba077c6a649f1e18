import { describe, expect, it } from '@jest/globals';
import { bench } from '../support/bench.js';

const { scenarios } = await bench('scenarios/index.js');
const { choose } = await bench('choice.js');
const { trend } = await bench('scenarios/s13-ten-minutes.js');
const { opponents } = await bench('opponents/index.js');

describe.each(scenarios)('$id', ({ id, cases, opponents: full, quick, columns, bars }) => {
  it(`Scenario ${id} uses existing opponents, and a subset of them in a quick run.`, () => {
    expect(Object.keys(opponents)).toEqual(expect.arrayContaining(full));
    expect(full).toEqual(expect.arrayContaining(quick));
    expect(cases.some(({ fullOnly }) => !fullOnly)).toBe(true);
    expect(cases.some(({ quickOnly }) => !quickOnly)).toBe(true);
  });

  it(`Every bar of scenario ${id} can be judged, also in a quick run: its opponent, case and metric are all played.`, () => {
    const names = cases.map(({ name }) => name);
    expect(bars.some(({ fullOnly }) => !fullOnly)).toBe(true);
    for (const { metric, of = 'ours', case: name, against, atLeast, atMost, fullOnly } of bars) {
      const figures = [metric, against?.metric ?? metric];
      expect(fullOnly ? full : quick).toEqual(expect.arrayContaining([of, against?.opponent ?? of]));
      expect(columns).toEqual(expect.arrayContaining(figures));
      expect(names).toEqual(expect.arrayContaining([name ?? names[0], against?.case ?? names[0]]));
      expect([atLeast, atMost].filter(Number.isFinite)).toHaveLength(1);
    }
  });
});

it('Scenario ids are unique and in ascending order.', () => {
  const numbers = scenarios.map(({ id }) => Number(id.slice(1)));
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

describe('Selecting scenarios', () => {
  const some = [{ id: 'S1' }, { id: 'S5', fullOnly: true }, { id: 'S13', long: true }];
  const idsOf = (wants: object) => choose(some, wants).chosen.map(({ id }) => id);
  const leftOutOf = (wants: object) =>
    choose(some, wants).leftOut.map(({ scenario, reason }) => `${scenario.id} ${reason}`);

  it('A run plays all scenarios but the long ones, which it lists; a quick run also omits full-only ones.', () => {
    expect(idsOf({})).toEqual(['S1', 'S5']);
    expect(leftOutOf({})).toEqual(['S13 only with --long or --only S13']);
    expect(idsOf({ long: true })).toEqual(['S1', 'S5', 'S13']);
    expect(idsOf({ quick: true })).toEqual(['S1']);
    expect(leftOutOf({ quick: true, long: true })).toEqual(['S5 in a quick run only with --only S5']);
  });

  it('A quick run with a turn plays one of the scenarios that are played in turns, and each has its turn.', () => {
    const three = [{ id: 'S1' }, { id: 'S8', inTurns: true }, { id: 'S15', inTurns: true }];
    const played = (wants: object) => choose(three, wants).chosen.map(({ id }) => id);
    expect(played({ quick: true, turn: 6 })).toEqual(['S1', 'S8']);
    expect(played({ quick: true, turn: 7 })).toEqual(['S1', 'S15']);
    expect(choose(three, { quick: true, turn: 7 }).leftOut.map(({ reason }) => reason)).toEqual([
      'another turn plays it',
    ]);
    expect(played({ quick: true })).toEqual(['S1', 'S8', 'S15']);
    expect(played({ turn: 7 })).toEqual(['S1', 'S8', 'S15']);
    expect(played({ only: 'S8', quick: true, turn: 7 })).toEqual(['S8']);
  });

  it('A run with --only plays exactly the named scenarios in that order, quick or not.', () => {
    expect(idsOf({ only: 's13,S5', quick: true })).toEqual(['S13', 'S5']);
    expect(leftOutOf({ only: 'S1' })).toEqual([]);
    expect(() => choose(some, { only: 'S2' })).toThrow('there is no scenario S2; there are S1, S5, S13');
  });
});

describe('The ten-minute trend', () => {
  const looks = (more: (minute: number) => object) =>
    Array.from({ length: 61 }, (_, index) => ({
      minute: index / 6,
      heap: 50,
      resident: 100,
      descriptors: 900,
      ...more(index / 6),
    }));

  it('A run that grows only while warming up has a flat trend.', () => {
    const warming = looks(minute => ({ heap: 50 + 10 * Math.min(3, minute), descriptors: minute < 3 ? 500 : 900 }));
    const { heapSlope, residentSlope, descriptorGrowth } = trend(warming, 10);
    expect([heapSlope, residentSlope].map(value => Math.abs(value) < 1e-9)).toEqual([true, true]);
    expect(descriptorGrowth).toBe(0);
  });

  it('A leaking run shows its slope in MiB per minute and its growth in descriptors.', () => {
    const leaking = looks(minute => ({ resident: 100 + 2 * minute, descriptors: 900 + 10 * minute }));
    const { heapSlope, residentSlope, descriptorGrowth } = trend(leaking, 10);
    expect([heapSlope, residentSlope].map(value => Math.round(value * 1000))).toEqual([0, 2000]);
    expect(descriptorGrowth).toBeGreaterThan(40);
  });
});

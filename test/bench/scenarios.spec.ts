import { describe, expect, it } from '@jest/globals';
import { bench } from '../support/bench.js';

const { scenarios } = await bench('scenarios/index.js');
const { opponents } = await bench('opponents/index.js');

describe.each(scenarios)('$id', ({ cases, opponents: full, others = [], quick, columns, bars }) => {
  it('names opponents that there are, and in a quick run some of them', () => {
    expect(Object.keys(opponents)).toEqual(expect.arrayContaining([...full, ...others]));
    expect(full).toEqual(expect.arrayContaining(quick));
    expect(cases.some(({ fullOnly }) => !fullOnly)).toBe(true);
  });

  it('has bars that can be judged, in a quick run too: of whoever plays, in a case and by a figure that is shown', () => {
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

it('no two scenarios have one name, and they stand in order', () => {
  const numbers = scenarios.map(({ id }) => Number(id.slice(1)));
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

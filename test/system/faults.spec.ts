import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../support/service-process.js';
import { FAULTS, faultOf } from '../faults/faults.js';

const seeds = (from: number, count: number) => Array.from({ length: count }, (_nothing, index) => from + index);

describe('The faults of seeds', () => {
  const numbers = [...new Set(FAULTS.map(({ number }) => number))].sort();

  it('Every round of seeds contains a fault of every number.', () => {
    for (const from of [1, 21, 1_001]) {
      const round = Math.ceil((from - 1) / numbers.length) * numbers.length + 1;
      const drawn = seeds(round, numbers.length).map(seed => faultOf(seed).number);
      expect([...new Set(drawn)].sort()).toEqual(numbers);
    }
  });

  it('A long run contains every fault, and a seed always selects the same one.', () => {
    const names = seeds(1, 400).map(seed => faultOf(seed).name);
    expect(new Set(names)).toEqual(new Set(FAULTS.map(({ name }) => name)));
    expect(seeds(1, 400).map(seed => faultOf(seed).name)).toEqual(names);
  });

  it('Every fault has a unique name, by which it can be selected.', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });
});

describe('The fault points', () => {
  it('The fault points refuse to load in production.', () => {
    const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
    const args = ['--import', './test/faults/points.js', '--eval', 'console.log("it runs")'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('fault points are for tests only');
  });
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bench } from '../support/bench.js';

const { figure, keptRuns } = await bench('figure.js');

describe('The benchmark figure of the README', () => {
  it('The figure is drawn from the committed runs: three complete runs of one commit, with three rounds of every case.', () => {
    const runs = keptRuns();
    expect(runs.map(({ mode, cut }) => [mode, cut])).toEqual(Array(3).fill(['full', null]));
    expect(new Set(runs.map(({ commit }) => commit)).size).toBe(1);
    const cases = runs.flatMap(({ scenarios }) => scenarios.flatMap(scenario => scenario.cases));
    const rounds = cases.flatMap(({ opponents }) => opponents.map(opponent => opponent.rounds.length));
    expect(new Set(rounds)).toEqual(new Set([3]));
    const drawn = readFileSync(resolve(import.meta.dirname, '../../docs/benchmark.svg'), 'utf8');
    expect(drawn).toBe(figure(runs));
  });

  it('The figure shows the median of the runs and omits opponents that did not run.', () => {
    const run = (rate: number) => ({
      mode: 'full',
      cut: null,
      commit: 'c',
      scenarios: [
        { id: 'S6', cases: [{ name: '', opponents: [{ id: 'ours', figures: { rate: { median: rate } } }] }] },
      ],
    });
    const drawn = figure([run(900), run(1_234), run(7_000)]);
    expect(drawn).toContain('>1,200/s<');
    expect(drawn).toContain('>ours<');
    expect(drawn).not.toContain('socket.io');
    expect(drawn.match(/<rect x=/g)).toHaveLength(1);
  });
});

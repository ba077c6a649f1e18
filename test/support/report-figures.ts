import { expect } from '@jest/globals';
import type { Json } from './json.js';
import type { Counted } from './report-recount.js';

const EVENTS = ['created', 'resolved', 'reopened', 'messages_in', 'messages_out', 'bot_messages'] as const;

/** The figures of a report, computed from single events. Percentiles are exact: nearest rank. */
export function figuresOf(counted: readonly Counted[]): Json {
  const counts = Object.fromEntries(EVENTS.map(kind => [kind, counted.filter(one => one.kind === kind).length]));
  const durations = (kind: Counted['kind']) =>
    durationFigures(counted.filter(one => one.kind === kind && one.ms !== undefined).map(({ ms = 0 }) => ms));
  const scores = counted.filter(one => one.kind === 'rated').map(({ score = 0 }) => score);
  return {
    ...counts,
    bot_resolved: counted.filter(({ byBot }) => byBot === true).length,
    first_response: durations('answered'),
    resolution: durations('resolved'),
    csat: {
      count: scores.length,
      mean: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
      scores: [1, 2, 3, 4, 5].map(score => scores.filter(one => one === score).length),
    },
  };
}

function durationFigures(ms: readonly number[]): Json {
  const sorted = [...ms].sort((one, other) => one - other);
  const rank = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0) / 1_000;
  if (sorted.length === 0) return { count: 0, mean: null, p50: null, p90: null };
  const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length / 1_000;
  return { count: sorted.length, mean, p50: rank(0.5), p90: rank(0.9) };
}

/** Counts, sums and means must be equal, percentiles within 5 %. The channels have no business hours: they are always open. */
export function expectFigures(actual: Json, expected: Json): void {
  const { first_response, resolution, csat, ...counts } = expected;
  expect(actual).toMatchObject({ ...counts, csat: { count: csat.count, scores: csat.scores } });
  if (csat.mean !== null) expect(actual.csat.mean).toBeCloseTo(csat.mean as number, 2);
  for (const kind of ['', '_business']) {
    expectDurations(actual[`first_response${kind}`] as Json, first_response as Json);
    expectDurations(actual[`resolution${kind}`] as Json, resolution as Json);
  }
}

export function expectDurations(actual: Json, expected: Json): void {
  expect(actual.count).toBe(expected.count);
  if (expected.count === 0) return;
  expect(actual.mean).toBeCloseTo(expected.mean as number, 5);
  for (const share of ['p50', 'p90'] as const) {
    expect(Math.abs((actual[share] as number) - (expected[share] as number))).toBeLessThanOrEqual(
      0.05 * (expected[share] as number),
    );
  }
}

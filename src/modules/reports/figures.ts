import { percentilesOf } from './duration-bins.js';
import type { DurationName } from './fact.js';
import { EVENT_COUNTS, MEASURES, SCORES } from './fact.js';

type EventCounts = Record<(typeof EVENT_COUNTS)[number], number>;

/** Durations in seconds; null where nothing was measured. */
export interface DurationFigures {
  count: number;
  mean: number | null;
  p50: number | null;
  p90: number | null;
}

export interface RatingFigures {
  count: number;
  mean: number | null;
  /** How often each score was given, from 1 to 5. */
  scores: number[];
}

/** The figures of a report, or of one of its items. */
export interface Figures extends EventCounts {
  first_response: DurationFigures;
  first_response_business: DurationFigures;
  resolution: DurationFigures;
  resolution_business: DurationFigures;
  csat: RatingFigures;
}

/** Sums of facts by column; sums that may exceed a number are text. */
export type Sums = Record<string, string>;

const SHARES = [0.5, 0.9];

export function toFigures(sums: Sums): Figures {
  const counts = Object.fromEntries(EVENT_COUNTS.map(name => [name, Number(sums[name] ?? 0)])) as EventCounts;
  return {
    ...counts,
    first_response: durationOf(sums, 'first_response', ''),
    first_response_business: durationOf(sums, 'first_response', '_business'),
    resolution: durationOf(sums, 'resolution', ''),
    resolution_business: durationOf(sums, 'resolution', '_business'),
    csat: ratingsOf(SCORES.map(name => Number(sums[name] ?? 0))),
  };
}

export function addSums(all: readonly Sums[]): Sums {
  return Object.fromEntries(
    MEASURES.map(({ name }) => [name, all.reduce((sum, one) => sum + BigInt(one[name] ?? 0), 0n).toString()]),
  );
}

function durationOf(sums: Sums, name: DurationName, kind: '' | '_business'): DurationFigures {
  const count = Number(sums[`${name}_count`] ?? 0);
  if (count === 0) return { count, mean: null, p50: null, p90: null };
  const [p50 = 0, p90 = 0] = percentilesOf(sums[`${name}${kind}_bins`] ?? '0', SHARES);
  const mean = Number(sums[`${name}${kind}_ms`] ?? 0) / count;
  return { count, mean: toSeconds(mean), p50: toSeconds(p50), p90: toSeconds(p90) };
}

function ratingsOf(scores: number[]): RatingFigures {
  const count = scores.reduce((sum, one) => sum + one, 0);
  const points = scores.reduce((sum, one, index) => sum + one * (index + 1), 0);
  return { count, mean: count === 0 ? null : Math.round((points / count) * 1_000) / 1_000, scores };
}

/** With microseconds. */
function toSeconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000_000;
}

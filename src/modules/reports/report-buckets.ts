import { evenStretches } from '../../kernel/local-time.js';
import type { Span } from './fact.js';
import { SPANS } from './fact.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Local time 0 is a Thursday; the week began three days before. */
const MONDAY_MS = -3 * DAY_MS;

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

/** A period in milliseconds; `to` is exclusive. */
export interface Period {
  from: number;
  to: number;
}

/** A period that consists of whole spans. */
export interface SpanPeriod extends Period {
  span: Span;
}

const WIDTH_MS: Record<Interval, number> = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS };

/**
 * Cuts a period where local hours, days or weeks begin. A day has 23 or 25 hours where summer time begins or ends, and an
 * hour that occurs twice is two buckets. A day begins when its date is first reached, even if the clock skips midnight.
 * The first and the last bucket may be shorter.
 */
export function bucketsOf({ from, to }: Period, interval: Interval, timezone: string): Period[] {
  const starts = [from, ...innerStarts({ from, to }, interval, timezone)];
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] ?? to }));
}

function innerStarts({ from, to }: Period, interval: Interval, timezone: string): number[] {
  const width = WIDTH_MS[interval];
  const zero = interval === 'week' ? MONDAY_MS : 0;
  const starts: number[] = [];
  let latest: number | undefined;
  let previousOffset: number | undefined;
  for (const { from: begin, to: end, offset } of evenStretches(timezone, from, to)) {
    const first = Math.floor((begin + offset - zero) / width);
    latest ??= first;
    if (interval === 'hour' && previousOffset !== undefined && offset !== previousOffset) latest = first - 1;
    previousOffset = offset;
    for (let number = first, at = begin; at < Math.min(end, to); at = ++number * width + zero - offset) {
      if (number <= latest) continue;
      starts.push(at);
      latest = number;
    }
  }
  return starts;
}

/** Rounds outwards to quarters of an hour, the shortest span. */
export function toQuarters({ from, to }: Period): Period {
  const quarter = SPANS[0] * MINUTE_MS;
  return { from: Math.floor(from / quarter) * quarter, to: Math.ceil(to / quarter) * quarter };
}

/**
 * Cuts a period into as few spans as possible: days inside, shorter ones at its ends.
 * @param summedUntil when the last hour or day that has a row ended
 */
export function spansOf(period: Period, summedUntil: number): SpanPeriod[] {
  return cut(period, summedUntil, SPANS.length - 1);
}

function cut({ from, to }: Period, summedUntil: number, level: number): SpanPeriod[] {
  const span = SPANS[level];
  if (span === undefined || from >= to) return [];
  const width = span * MINUTE_MS;
  const end = level === 0 ? to : Math.min(to, summedUntil);
  const inner = { from: Math.ceil(from / width) * width, to: Math.floor(end / width) * width };
  const shorter = (rest: Period) => cut(rest, summedUntil, level - 1);
  if (inner.from >= inner.to) return shorter({ from, to });
  return [...shorter({ from, to: inner.from }), { ...inner, span }, ...shorter({ from: inner.to, to })];
}

import type { Filters, Interval } from './filters.js';
import { INTERVALS } from './filters.js';
import { addDays, dateIn, isDate, isTimezone, offsetAt, startOfDay } from './local-days.js';

const DAY_MS = 24 * 3_600_000;
/** The service refuses reports that are longer both by local time and in hours. */
const MAX_DAYS: Record<Interval, number> = { hour: 31, day: 366, week: 366 };
/** Longest ranges (days) that are shown by the hour or by the day, unless another interval is chosen. */
const AUTOMATIC_DAYS = { hour: 2, day: 92 };

/** The time of a report. `to` is exclusive, and not after now. */
export interface Period {
  from: string;
  to: string;
  interval: Interval;
  timezone: string;
}

export type PeriodFault = 'datesMissing' | 'datesSwapped' | 'datesInFuture' | 'datesTooFar' | 'zoneUnknown';

/**
 * Computes the time of a report: whole days in the chosen time zone.
 * @param timezone the workspace's
 * @param now milliseconds
 */
export function periodOf(filters: Filters, timezone: string, now: number): Period | PeriodFault {
  const zone = filters.timezone ?? timezone;
  if (!isTimezone(zone)) return 'zoneUnknown';
  const dates = datesOf(filters, dateIn(zone, now));
  if (typeof dates === 'string') return dates;
  const from = startOfDay(dates.from, zone);
  const to = Math.min(startOfDay(addDays(dates.to, 1), zone), now);
  if (from >= to) return 'datesInFuture';
  const length = lengthOf(from, to, zone);
  if (length > MAX_DAYS.day * DAY_MS) return 'datesTooFar';
  const interval = chooseInterval(filters.interval, length);
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), interval, timezone: zone };
}

/** @returns the intervals that the service accepts for a time */
export function intervalsFor({ from, to, timezone }: Pick<Period, 'from' | 'to' | 'timezone'>): Interval[] {
  const length = lengthOf(Date.parse(from), Date.parse(to), timezone);
  return INTERVALS.filter(interval => isAccepted(interval, length));
}

/** @returns milliseconds; without the hour more that a period has in which summer time ends */
function lengthOf(from: number, to: number, timezone: string): number {
  return Math.min(to - from, to + offsetAt(timezone, to) - (from + offsetAt(timezone, from)));
}

function datesOf({ range, from, to }: Filters, today: string): { from: string; to: string } | PeriodFault {
  if (range !== 'custom') return { from: addDays(today, 1 - (range === 'today' ? 1 : Number(range))), to: today };
  if (!isDate(from) || !isDate(to)) return 'datesMissing';
  return from > to ? 'datesSwapped' : { from, to };
}

function chooseInterval(chosen: Interval | undefined, ms: number): Interval {
  if (chosen && isAccepted(chosen, ms)) return chosen;
  if (chosen) return 'day';
  if (ms <= AUTOMATIC_DAYS.hour * DAY_MS) return 'hour';
  return ms <= AUTOMATIC_DAYS.day * DAY_MS ? 'day' : 'week';
}

function isAccepted(interval: Interval, ms: number): boolean {
  return ms <= MAX_DAYS[interval] * DAY_MS;
}

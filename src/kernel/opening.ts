import type { BusinessHours, OpenSpan } from './business-hours.js';
import { WEEKDAYS } from './business-hours.js';
import { evenStretches } from './local-time.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Days ahead in which the next change is searched. */
const LOOK_AHEAD_DAYS = 400;

/** The state of a desk at an instant. `changesAt` is null when nothing changes within 400 days. */
export interface Opening {
  open: boolean;
  changesAt: Date | null;
}

/** A period in milliseconds; `to` is exclusive. */
interface Span {
  from: number;
  to: number;
}

/** The open spans that begin on a day, sorted. Times are milliseconds since its local midnight. */
type DaySpans = (day: number) => readonly Span[];

/**
 * Returns the state of a desk and its next change, by the local clock; no timetable means always open. A span that
 * begins in the hour skipped by summer time begins after it; a span in the hour repeated by winter time is open twice.
 * Costs about 2 µs for each day until the change.
 */
export function openingAt(hours: BusinessHours | null, timezone: string, at: Date): Opening {
  if (hours === null) return { open: true, changesAt: null };
  if (isNeverOpen(hours)) return { open: false, changesAt: null };
  const now = at.getTime();
  const end = now + LOOK_AHEAD_DAYS * DAY_MS;
  let openUntil = now;
  for (const span of openSpans(hours, timezone, now, end)) {
    if (span.from > openUntil) return openUntil > now ? changing(true, openUntil) : changing(false, span.from);
    openUntil = Math.max(openUntil, span.to);
  }
  return openUntil > now ? changing(true, openUntil < end ? openUntil : null) : changing(false, null);
}

/** Returns for how many milliseconds between two instants a desk was open. */
export function openTimeBetween(hours: BusinessHours | null, timezone: string, from: Date, to: Date): number {
  const [start, end] = [from.getTime(), to.getTime()];
  if (hours === null) return Math.max(0, end - start);
  let [total, countedUntil] = [0, start];
  for (const span of openSpans(hours, timezone, start, end)) {
    total += Math.max(0, span.to - Math.max(span.from, countedUntil));
    countedUntil = Math.max(countedUntil, span.to);
  }
  return total;
}

function changing(open: boolean, at: number | null): Opening {
  return { open, changesAt: at === null ? null : new Date(at) };
}

function isNeverOpen({ holidays = [], ...days }: BusinessHours): boolean {
  const spans = [...Object.values(days), ...holidays.map(({ hours = [] }) => hours)];
  return spans.every(({ length }) => length === 0);
}

/** Yields the open spans between two instants, in order of their start; spans may touch or overlap. */
function* openSpans(hours: BusinessHours, timezone: string, from: number, to: number): Generator<Span> {
  const spansOf = daySpans(hours);
  for (const stretch of evenStretches(timezone, from, to)) {
    const [localFrom, localTo] = [stretch.from + stretch.offset, Math.min(stretch.to, to) + stretch.offset];
    // begins a day early, for a span that runs past midnight
    for (let day = Math.floor(localFrom / DAY_MS) - 1; day * DAY_MS < localTo; day += 1) {
      for (const span of spansOf(day)) {
        const [begins, ends] = [day * DAY_MS + span.from, day * DAY_MS + span.to];
        const clipped = { from: Math.max(begins, localFrom), to: Math.min(ends, localTo) };
        if (clipped.from >= clipped.to) continue;
        yield { from: clipped.from - stretch.offset, to: clipped.to - stretch.offset };
      }
    }
  }
}

/** Days are numbered from 1 January 1970, which was a Thursday. */
function daySpans({ holidays = [], ...days }: BusinessHours): DaySpans {
  const ofWeekday = WEEKDAYS.map(weekday => sortedSpans(days[weekday]));
  const ofHoliday = new Map(
    holidays.map(({ date, hours }) => [Date.parse(`${date}T00:00:00Z`) / DAY_MS, sortedSpans(hours)]),
  );
  return day => ofHoliday.get(day) ?? ofWeekday[(((day + 3) % 7) + 7) % 7] ?? [];
}

function sortedSpans(spans: readonly OpenSpan[] = []): Span[] {
  return spans.map(toSpan).sort((one, other) => one.from - other.from);
}

function toSpan(span: OpenSpan): Span {
  const [from, to] = [timeOf(span.from), timeOf(span.to)];
  return { from, to: to > from ? to : to + DAY_MS };
}

function timeOf(clockTime: string): number {
  const [hour = 0, minute = 0] = clockTime.split(':').map(Number);
  return (hour * 60 + minute) * MINUTE_MS;
}

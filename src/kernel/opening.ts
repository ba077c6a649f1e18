import type { BusinessHours, OpenSpan } from './business-hours.js';
import { WEEKDAYS } from './business-hours.js';
import { evenStretches } from './local-time.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How far ahead the next opening is looked for. */
export const LOOK_AHEAD_DAYS = 400;

/** Whether the desk is open at an instant, and when that changes; null: not within 400 days. */
export interface Opening {
  open: boolean;
  changesAt: Date | null;
}

/** A stretch of time, `to` exclusive, in milliseconds. */
interface Span {
  from: number;
  to: number;
}

/**
 * Follows the local clock: a span that begins in the hour which summer time skips begins after it, and one in the hour
 * which winter time repeats is open twice. No timetable means always open. Goes by days, so it costs about 2 µs for each
 * day until the change.
 */
export function openingAt(hours: BusinessHours | null, timezone: string, at: Date): Opening {
  if (hours === null) return { open: true, changesAt: null };
  if (Object.values(hours).every(spans => spans.length === 0)) return { open: false, changesAt: null };
  const now = at.getTime();
  const end = now + LOOK_AHEAD_DAYS * DAY_MS;
  let openUntil = now;
  for (const span of openSpans(hours, timezone, now, end)) {
    if (span.from > openUntil) return openUntil > now ? changing(true, openUntil) : changing(false, span.from);
    openUntil = Math.max(openUntil, span.to);
  }
  return openUntil > now ? changing(true, openUntil < end ? openUntil : null) : changing(false, null);
}

function changing(open: boolean, at: number | null): Opening {
  return { open, changesAt: at === null ? null : new Date(at) };
}

/** The open stretches between two instants, by their beginning; adjacent ones may touch. */
function* openSpans(hours: BusinessHours, timezone: string, from: number, to: number): Generator<Span> {
  for (const stretch of evenStretches(timezone, from, to)) {
    const [localFrom, localTo] = [stretch.from + stretch.offset, stretch.to + stretch.offset];
    for (let day = Math.floor(localFrom / DAY_MS); day * DAY_MS < localTo; day += 1) {
      for (const span of localSpansOf(hours, day)) {
        const clipped = { from: Math.max(span.from, localFrom), to: Math.min(span.to, localTo) };
        if (clipped.from >= clipped.to) continue;
        yield { from: clipped.from - stretch.offset, to: clipped.to - stretch.offset };
      }
    }
  }
}

/** The open spans of one local day, in local milliseconds and in order. @param day counted from 1 January 1970 */
function localSpansOf(hours: BusinessHours, day: number): Span[] {
  // that day was a Thursday
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'mon';
  const toSpan = ({ from, to }: OpenSpan) => ({ from: day * DAY_MS + timeOf(from), to: day * DAY_MS + timeOf(to) });
  return (hours[weekday] ?? []).map(toSpan).sort((one, other) => one.from - other.from);
}

function timeOf(clockTime: string): number {
  const [hour = 0, minute = 0] = clockTime.split(':').map(Number);
  return (hour * 60 + minute) * MINUTE_MS;
}

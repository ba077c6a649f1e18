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

/**
 * Returns the state of a desk and its next change, by the local clock; no timetable means always open. A span that
 * begins in the hour skipped by summer time begins after it; a span in the hour repeated by winter time is open twice.
 * Costs about 2 µs for each day until the change.
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

/** Yields the open spans between two instants, in order of their start; spans may touch. */
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

/** Returns the open spans of one local day, in local milliseconds and in order. @param day days since 1 January 1970 */
function localSpansOf(hours: BusinessHours, day: number): Span[] {
  // 1 January 1970 was a Thursday
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'mon';
  const toSpan = ({ from, to }: OpenSpan) => ({ from: day * DAY_MS + timeOf(from), to: day * DAY_MS + timeOf(to) });
  return (hours[weekday] ?? []).map(toSpan).sort((one, other) => one.from - other.from);
}

function timeOf(clockTime: string): number {
  const [hour = 0, minute = 0] = clockTime.split(':').map(Number);
  return (hour * 60 + minute) * MINUTE_MS;
}

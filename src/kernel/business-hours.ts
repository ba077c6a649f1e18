export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Local times `HH:MM`; `to` may be `24:00`. Days that are not named are closed. */
export interface OpenSpan {
  from: string;
  to: string;
}
export type BusinessHours = Partial<Record<Weekday, OpenSpan[]>>;

const CLOCK_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const MINUTE_MS = 60_000;
const WEEK_MINUTES = 7 * 24 * 60;

function isSpan(span: unknown): span is OpenSpan {
  if (typeof span !== 'object' || span === null) return false;
  const { from, to } = span as Partial<OpenSpan>;
  const ends = typeof to === 'string' && (CLOCK_TIME.test(to) || to === '24:00');
  return typeof from === 'string' && CLOCK_TIME.test(from) && ends && from < to;
}

/** Whether a client's object is a timetable. */
export function isBusinessHours(value: unknown): value is BusinessHours {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([day, spans]) =>
      (WEEKDAYS as readonly string[]).includes(day) &&
      Array.isArray(spans) &&
      spans.length <= 10 &&
      spans.every(isSpan),
  );
}

/** The timetable and nothing else: what a client adds to it is ignored, not kept. */
export function plainHours(hours: BusinessHours): BusinessHours {
  const days = Object.entries(hours).map(([day, spans]) => [day, spans.map(({ from, to }) => ({ from, to }))] as const);
  return Object.fromEntries(days);
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function localTime(at: Date, timezone: string): { day: Weekday; time: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find(candidate => candidate.type === type)?.value ?? '';
  return { day: part('weekday').toLowerCase() as Weekday, time: `${part('hour')}:${part('minute')}` };
}

/** No timetable means always open. */
export function isOpen(hours: BusinessHours | null, timezone: string, at: Date): boolean {
  if (hours === null) return true;
  const { day, time } = localTime(at, timezone);
  return (hours[day] ?? []).some(span => span.from <= time && time < span.to);
}

/**
 * The next minute at which a closed desk opens, within a week; null while open, or when it never opens. Walks the local
 * clock rather than adding offsets, so that a change to or from summer time falls out right.
 */
export function nextOpening(hours: BusinessHours | null, timezone: string, at: Date): Date | null {
  if (hours === null || isOpen(hours, timezone, at)) return null;
  const starts = new Set(Object.entries(hours).flatMap(([day, spans]) => spans.map(span => `${day} ${span.from}`)));
  const firstMinute = Math.ceil(at.getTime() / MINUTE_MS) * MINUTE_MS;
  const step = [...starts].every(start => start.endsWith(':00') || start.endsWith(':30')) ? 15 : 1;
  const aligned = Math.ceil(firstMinute / (step * MINUTE_MS)) * step * MINUTE_MS;
  for (let minute = 0; starts.size > 0 && minute <= WEEK_MINUTES; minute += step) {
    const candidate = new Date(aligned + minute * MINUTE_MS);
    const { day, time } = localTime(candidate, timezone);
    if (starts.has(`${day} ${time}`)) return candidate;
  }
  return null;
}

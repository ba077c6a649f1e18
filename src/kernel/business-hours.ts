export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Local times `HH:MM`; `to` may be `24:00`. */
export interface OpenSpan {
  from: string;
  to: string;
}
/** The open spans of each weekday. A missing day is closed. */
export type BusinessHours = Partial<Record<Weekday, OpenSpan[]>>;

const CLOCK_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

function isSpan(span: unknown): span is OpenSpan {
  if (typeof span !== 'object' || span === null) return false;
  const { from, to } = span as Partial<OpenSpan>;
  const ends = typeof to === 'string' && (CLOCK_TIME.test(to) || to === '24:00');
  return typeof from === 'string' && CLOCK_TIME.test(from) && ends && from < to;
}

/** Checks that a value from a client is a valid timetable. */
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

/** Copies the known fields of a timetable and drops any extra ones that a client sent. */
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

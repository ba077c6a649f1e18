export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Local times `HH:MM`; `to` may be `24:00`. A span whose `to` is before its `from` ends on the next day. */
export interface OpenSpan {
  from: string;
  to: string;
}

/** A local date whose own hours replace those of its weekday. Without `hours` it is closed. */
export interface Holiday {
  /** `YYYY-MM-DD`. */
  date: string;
  name?: string;
  hours?: OpenSpan[];
}

/**
 * The open spans of each weekday, by the day on which they begin. A missing day is closed. Holidays replace the spans
 * that begin on them.
 */
export type BusinessHours = Partial<Record<Weekday, OpenSpan[]>> & { holidays?: Holiday[] };

export const MAX_SPANS = 10;
export const MAX_HOLIDAYS = 100;
const MAX_NAME = 200;
const CLOCK_TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Checks that a value from a client is a valid timetable. */
export function isBusinessHours(value: unknown): value is BusinessHours {
  if (!isObject(value)) return false;
  const { holidays, ...days } = value;
  const areDays = Object.entries(days).every(
    ([day, spans]) => (WEEKDAYS as readonly string[]).includes(day) && areSpans(spans),
  );
  return areDays && (holidays === undefined || areHolidays(holidays));
}

/** Copies the known fields of a timetable and drops any extra ones that a client sent. */
export function plainHours({ holidays, ...days }: BusinessHours): BusinessHours {
  const plainDays = Object.entries(days).map(([day, spans]) => [day, spans.map(plainSpan)] as const);
  return { ...Object.fromEntries(plainDays), ...(holidays && { holidays: holidays.map(plainHoliday) }) };
}

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function areSpans(value: unknown): value is OpenSpan[] {
  return Array.isArray(value) && value.length <= MAX_SPANS && value.every(isSpan);
}

function isSpan(value: unknown): value is OpenSpan {
  if (!isObject(value)) return false;
  const { from, to } = value;
  const begins = typeof from === 'string' && CLOCK_TIME.test(from);
  return begins && typeof to === 'string' && (CLOCK_TIME.test(to) || to === '24:00') && from !== to;
}

/** A date given twice is refused, because only one of its entries could apply. */
function areHolidays(value: unknown): value is Holiday[] {
  if (!Array.isArray(value) || value.length > MAX_HOLIDAYS || !value.every(isHoliday)) return false;
  return new Set(value.map(({ date }) => date)).size === value.length;
}

function isHoliday(value: unknown): value is Holiday {
  if (!isObject(value)) return false;
  const { date, name, hours } = value;
  return isDate(date) && (name === undefined || isName(name)) && (hours === undefined || areSpans(hours));
}

/** Refuses days that the calendar does not have, such as 30 February. */
function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && value.isWellFormed() && !value.includes('\0');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plainHoliday({ date, name, hours }: Holiday): Holiday {
  return { date, ...(name !== undefined && { name }), ...(hours && { hours: hours.map(plainSpan) }) };
}

function plainSpan({ from, to }: OpenSpan): OpenSpan {
  return { from, to };
}

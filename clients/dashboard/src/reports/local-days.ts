const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** @returns whether a text is an existing date in the form `YYYY-MM-DD` */
export function isDate(text: string | undefined): text is string {
  if (text === undefined || !DATE.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Adds days to a date in the form `YYYY-MM-DD`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** @param at time in milliseconds @returns the date there, as `YYYY-MM-DD` */
export function dateIn(timezone: string, at: number): string {
  return new Date(at + offsetAt(timezone, at)).toISOString().slice(0, 10);
}

/**
 * Returns the time in milliseconds at which a date is first reached, also if the clock skips or repeats its midnight.
 * @param date `YYYY-MM-DD`
 */
export function startOfDay(date: string, timezone: string): number {
  const midnight = Date.parse(date);
  const candidates = [-DAY_MS, DAY_MS].map(shift => midnight - offsetAt(timezone, midnight + shift));
  const reached = candidates.filter(at => dateIn(timezone, at) >= date);
  return Math.min(...(reached.length > 0 ? reached : candidates));
}

/** @returns local time minus UTC, in milliseconds */
export function offsetAt(timezone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0] = parts.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A formatter costs about 50 µs and 50 KiB; a service uses a few dozen time zones. */
const MAX_FORMATTERS = 100;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** A period with a constant UTC offset: local time = UTC + `offset`. All in milliseconds. */
export interface EvenStretch {
  from: number;
  to: number;
  offset: number;
}

/**
 * Yields the periods of constant offset from `from` to at least `to`, in order and without gaps; boundaries are exact
 * to the minute. It compares the offset once per day, so it misses two changes within 24 hours that cancel each other.
 */
export function* evenStretches(timezone: string, from: number, to: number): Generator<EvenStretch> {
  let offset = offsetAt(timezone, from);
  for (let start = from; start < to;) {
    const [end, next] = [start + DAY_MS, offsetAt(timezone, start + DAY_MS)];
    if (next === offset) {
      yield { from: start, to: end, offset };
      start = end;
      continue;
    }
    const change = changeBetween(timezone, start, end);
    yield { from: start, to: change, offset };
    start = change;
    offset = offsetAt(timezone, change);
  }
}

/** Returns local time minus UTC, in milliseconds. */
export function offsetAt(timezone: string, at: number): number {
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = formatterOf(timezone)
    .format(at)
    .split(/\D+/)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/** Finds the first full minute with the offset of `end`, which must differ from the offset of `start`. */
function changeBetween(timezone: string, start: number, end: number): number {
  const before = offsetAt(timezone, start);
  let [low, high] = [Math.floor(start / MINUTE_MS), Math.ceil(end / MINUTE_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(timezone, middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known) return known;
  const [oldest] = formatters.keys();
  if (formatters.size >= MAX_FORMATTERS && oldest !== undefined) formatters.delete(oldest);
  const made = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  formatters.set(timezone, made);
  return made;
}

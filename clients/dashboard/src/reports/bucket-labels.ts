import type { Interval } from './filters.js';

/** A date, and for an hour its time. */
const FORMATS: Record<Interval, Intl.DateTimeFormatOptions> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
};
const SHORT: Record<Interval, Intl.DateTimeFormatOptions> = {
  hour: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
};

/**
 * Names of buckets by their beginnings, in the time zone of the report. An hour that occurs twice, at the end of summer
 * time, has its offset too.
 */
export function bucketLabels(times: readonly string[], interval: Interval, timezone: string, locale: string): string[] {
  const format = new Intl.DateTimeFormat(locale, { ...FORMATS[interval], timeZone: timezone });
  const precise = new Intl.DateTimeFormat(locale, {
    ...FORMATS[interval],
    timeZone: timezone,
    timeZoneName: 'shortOffset',
  });
  const labels = times.map(time => format.format(new Date(time)));
  const isRepeated = (label: string, index: number) => labels[index - 1] === label || labels[index + 1] === label;
  return labels.map((label, index) => (isRepeated(label, index) ? precise.format(new Date(times[index]!)) : label));
}

/** Short names, for the axis of a chart. */
export function axisLabels(times: readonly string[], interval: Interval, timezone: string, locale: string): string[] {
  const format = new Intl.DateTimeFormat(locale, { ...SHORT[interval], timeZone: timezone });
  return times.map(time => format.format(new Date(time)));
}

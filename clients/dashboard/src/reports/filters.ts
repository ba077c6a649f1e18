/** A range of days up to today, or two chosen dates. */
export const RANGES = ['today', '7', '30', '90', 'custom'] as const;
export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Range = (typeof RANGES)[number];
export type Interval = (typeof INTERVALS)[number];

const DEFAULT_RANGE = '30';

/** The choices above a report. All of them are in the address, so that a link shows the same. */
export interface Filters {
  range: Range;
  /** First and last day of a custom range, as `YYYY-MM-DD`. */
  from?: string | undefined;
  to?: string | undefined;
  /** Default: one that suits the length of the range. */
  interval?: Interval | undefined;
  /** IANA name. Default: the time zone of the workspace. */
  timezone?: string | undefined;
  channel?: string | undefined;
  member?: string | undefined;
  /** Durations count business hours only. */
  isBusiness?: boolean | undefined;
}

/** @param search query of the address, with or without `?`. Unknown values are the defaults. */
export function readFilters(search: string): Filters {
  const query = new URLSearchParams(search);
  const read = (name: string) => query.get(name) || undefined;
  return {
    range: RANGES.find(range => range === query.get('range')) ?? DEFAULT_RANGE,
    from: read('from'),
    to: read('to'),
    interval: INTERVALS.find(interval => interval === query.get('interval')),
    timezone: read('timezone'),
    channel: read('channel'),
    member: read('member'),
    isBusiness: query.get('hours') === 'business',
  };
}

/** @returns query with its `?`, without defaults; empty if everything is a default */
export function writeFilters({ range, from, to, isBusiness, ...rest }: Filters): string {
  const isCustom = range === 'custom';
  const values = {
    range: range === DEFAULT_RANGE ? undefined : range,
    from: isCustom ? from : undefined,
    to: isCustom ? to : undefined,
    ...rest,
    hours: isBusiness ? 'business' : undefined,
  };
  const entries = Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(entries).toString();
  return query && `?${query}`;
}

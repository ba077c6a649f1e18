import { isTimezone } from '../../kernel/business-hours.js';
import { offsetAt } from '../../kernel/local-time.js';
import { invalidField } from '../../platform/schemas/validation.js';
import type { Interval, Period } from './report-buckets.js';
import { toQuarters } from './report-buckets.js';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 30;
/** Also by local time: a month of 31 days in which summer time ends has an hour more. */
const MAX_DAYS: Record<Interval, number> = { hour: 31, day: 366, week: 366 };

/** The time that a report is about. */
export interface ReportPeriod extends Period {
  interval: Interval;
  timezone: string;
}

export interface PeriodRequest {
  from?: string | undefined;
  to?: string | undefined;
  interval?: Interval | undefined;
  timezone?: string | undefined;
}

/** @param timezone the workspace's, which is the default @throws ValidationFailed */
export function readPeriod(request: PeriodRequest, timezone: string, now: Date): ReportPeriod {
  const { interval = 'day' } = request;
  const zone = request.timezone ?? timezone;
  if (!isTimezone(zone)) invalidField('timezone', 'unknown', 'timezone must be an IANA time zone');
  const to = request.to === undefined ? now.getTime() : Date.parse(request.to);
  const from = request.from === undefined ? to - DEFAULT_DAYS * DAY_MS : Date.parse(request.from);
  if (from >= to) invalidField('from', 'not_before_to', 'from must be before to');
  const days = MAX_DAYS[interval];
  const localMs = to + offsetAt(zone, to) - (from + offsetAt(zone, from));
  if (Math.min(to - from, localMs) > days * DAY_MS)
    invalidField('from', 'too_early', `from must be at most ${days} days before to`);
  return { ...toQuarters({ from, to }), interval, timezone: zone };
}

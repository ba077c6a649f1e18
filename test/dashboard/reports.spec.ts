import { describe, expect, it } from '@jest/globals';
import { axisLabels, bucketLabels } from '../../clients/dashboard/src/reports/bucket-labels.js';
import { splitDuration } from '../../clients/dashboard/src/reports/duration.js';
import { readFilters, writeFilters, type Filters } from '../../clients/dashboard/src/reports/filters.js';
import { addDays, dateIn, isDate, isTimezone, startOfDay } from '../../clients/dashboard/src/reports/local-days.js';
import { intervalsFor, periodOf, type Period } from '../../clients/dashboard/src/reports/period.js';
import {
  queryOf,
  readAuditFilters,
  writeAuditFilters,
} from '../../clients/dashboard/src/reports/audit/audit-filters.js';
import { bucketsOf } from '../../src/modules/reports/report-buckets.js';

const BERLIN = 'Europe/Berlin';
const NOW = Date.parse('2026-06-15T10:20:00Z');
const HOUR_MS = 3_600_000;

const isoStart = (date: string, timezone: string) => new Date(startOfDay(date, timezone)).toISOString();
const read = (search: string) => periodOf(readFilters(search), BERLIN, NOW);
const periodFor = (search: string) => read(search) as Period;

describe('Days in a time zone', () => {
  it.each([
    ['2026-06-15', 'UTC', '2026-06-15T00:00:00.000Z'],
    ['2026-06-15', BERLIN, '2026-06-14T22:00:00.000Z'],
    ['2026-06-15', 'Asia/Kolkata', '2026-06-14T18:30:00.000Z'],
    ['2026-06-15', 'Asia/Kathmandu', '2026-06-14T18:15:00.000Z'],
    ['2026-06-15', 'Pacific/Kiritimati', '2026-06-14T10:00:00.000Z'],
    ['2026-03-29', BERLIN, '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', BERLIN, '2026-03-29T22:00:00.000Z'],
    ['2026-10-26', BERLIN, '2026-10-25T23:00:00.000Z'],
  ])('The day %s in %s begins at %s.', (date, timezone, start) => {
    expect(isoStart(date, timezone)).toBe(start);
  });

  it('A day whose midnight the clock skips begins when its date is first reached.', () => {
    expect(isoStart('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
  });

  it('A day whose midnight occurs twice begins at the first one.', () => {
    expect(isoStart('2026-10-25', 'Atlantic/Azores')).toBe('2026-10-25T00:00:00.000Z');
  });

  it('Every day of two years begins where the service cuts its buckets, also across daylight saving.', () => {
    for (const zone of [BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Atlantic/Azores', 'Africa/Cairo']) {
      const from = startOfDay('2025-06-01', zone);
      const starts = Array.from({ length: 730 }, (_day, index) => startOfDay(addDays('2025-06-01', index), zone));
      const buckets = bucketsOf({ from, to: startOfDay(addDays('2025-06-01', 730), zone) }, 'day', zone);
      expect([zone, starts]).toEqual([zone, buckets.map(bucket => bucket.from)]);
      expect([zone, starts.map(at => dateIn(zone, at))]).toEqual([
        zone,
        starts.map((_at, index) => addDays('2025-06-01', index)),
      ]);
    }
  });

  it('Dates that do not exist and unknown time zones are recognised.', () => {
    expect(['2026-02-29', '2026-2-1', '', undefined, '2024-02-29'].map(isDate)).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(['Mars/Olympus', BERLIN].map(isTimezone)).toEqual([false, true]);
  });
});

describe('The filters of a report', () => {
  it('The address has every choice, and only those that differ from the defaults.', () => {
    const filters: Filters = {
      range: 'custom',
      from: '2026-01-01',
      to: '2026-01-31',
      interval: 'week',
      timezone: 'Asia/Tokyo',
      channel: 'c1',
      member: 'm1',
      isBusiness: true,
    };
    expect(readFilters(writeFilters(filters))).toEqual(filters);
    expect(writeFilters(readFilters(''))).toBe('');
    expect(writeFilters({ ...filters, range: '7' })).not.toMatch(/from=|[?&]to=/);
  });

  it('Unknown values in the address are the defaults.', () => {
    expect(readFilters('?range=forever&interval=minute&hours=all')).toEqual({ range: '30', isBusiness: false });
  });
});

describe('The time of a report', () => {
  it.each([
    ['?range=today', '2026-06-14T22:00:00.000Z', 'hour'],
    ['?range=7', '2026-06-08T22:00:00.000Z', 'day'],
    ['', '2026-05-16T22:00:00.000Z', 'day'],
    ['?range=90', '2026-03-17T23:00:00.000Z', 'day'],
  ])(
    'The range %p begins with a day of the workspace at %s, ends now, and is shown by %s.',
    (search, from, interval) => {
      expect(read(search)).toEqual({ from, to: '2026-06-15T10:20:00.000Z', interval, timezone: BERLIN });
    },
  );

  it('A custom range includes its last day, also the one with 25 hours.', () => {
    const { from, to } = periodOf(readFilters('?range=custom&from=2025-10-26&to=2025-10-26'), BERLIN, NOW) as Period;
    expect((Date.parse(to) - Date.parse(from)) / HOUR_MS).toBe(25);
  });

  it('The days are those of the chosen time zone.', () => {
    expect(periodFor('?range=today&timezone=Asia/Tokyo')).toMatchObject({
      from: '2026-06-14T15:00:00.000Z',
      timezone: 'Asia/Tokyo',
    });
  });

  it.each([
    ['?range=custom', 'datesMissing'],
    ['?range=custom&from=2026-02-30&to=2026-03-01', 'datesMissing'],
    ['?range=custom&from=2026-03-02&to=2026-03-01', 'datesSwapped'],
    ['?range=custom&from=2027-01-01&to=2027-01-02', 'datesInFuture'],
    ['?range=custom&from=2024-06-01&to=2025-06-30', 'datesTooFar'],
    ['?timezone=Mars/Olympus', 'zoneUnknown'],
  ])('The choices %s are refused before a request: %s.', (search, fault) => {
    expect(read(search)).toBe(fault);
  });

  it('Hours are offered and accepted for 31 days at most.', () => {
    const month = periodFor('?range=custom&from=2026-05-01&to=2026-05-31&interval=hour');
    const longer = periodFor('?range=custom&from=2026-05-01&to=2026-06-01&interval=hour');
    expect([month.interval, intervalsFor(month)]).toEqual(['hour', ['hour', 'day', 'week']]);
    expect([longer.interval, intervalsFor(longer)]).toEqual(['day', ['day', 'week']]);
    const october = periodFor('?range=custom&from=2025-10-01&to=2025-10-31&interval=hour');
    expect([october.interval, Date.parse(october.to) - Date.parse(october.from)]).toEqual(['hour', 745 * 3_600_000]);
    expect(periodFor('?range=custom&from=2025-06-20&to=2026-06-14').interval).toBe('week');
  });
});

describe('The names of buckets', () => {
  const hoursOf = (date: string) =>
    bucketsOf({ from: startOfDay(date, BERLIN), to: startOfDay(addDays(date, 1), BERLIN) }, 'hour', BERLIN).map(
      ({ from }) => new Date(from).toISOString(),
    );

  it('An hour that occurs twice has its offset, and all names of the day differ.', () => {
    const labels = bucketLabels(hoursOf('2026-10-25'), 'hour', BERLIN, 'en-GB');
    expect(labels).toHaveLength(25);
    expect(new Set(labels).size).toBe(25);
    expect(labels.filter(label => label.includes('GMT'))).toHaveLength(2);
  });

  it('The day on which summer time begins has 23 names and no second hour.', () => {
    const axis = axisLabels(hoursOf('2026-03-29'), 'hour', BERLIN, 'en-GB');
    expect(axis).toHaveLength(23);
    expect(axis.slice(0, 4)).toEqual(['00:00', '01:00', '03:00', '04:00']);
  });

  it('Days and weeks are named in the time zone of the report.', () => {
    expect(axisLabels(['2026-06-14T22:00:00Z'], 'day', BERLIN, 'en-GB')).toEqual(['15 Jun']);
    expect(bucketLabels(['2026-06-14T22:00:00Z'], 'week', BERLIN, 'en-GB')).toEqual(['15 Jun 2026']);
  });
});

describe('Durations', () => {
  const text = (seconds: number) =>
    splitDuration(seconds)
      .map(({ unit, value }) => `${value} ${unit}`)
      .join(', ');

  it.each([
    [0, '0 seconds'],
    [0.6, '1 seconds'],
    [59.4, '59 seconds'],
    [59.6, '1 minutes'],
    [125, '2 minutes, 5 seconds'],
    [3_599.7, '1 hours'],
    [3_725, '1 hours, 2 minutes'],
    [86_399, '1 days'],
    [90_000, '1 days, 1 hours'],
    [31_536_000, '365 days'],
  ])('%p seconds are %s.', (seconds, parts) => {
    expect(text(seconds)).toBe(parts);
  });
});

describe('The filters of the audit log', () => {
  it('The address has them all, and a day is one of the workspace.', () => {
    const filters = { action: 'api_key.*', actor: 'm1', from: '2026-06-01', to: '2026-06-02' };
    expect(readAuditFilters(writeAuditFilters(filters))).toEqual(filters);
    expect(queryOf(filters, BERLIN)).toEqual({
      action: 'api_key.*',
      actor_id: 'm1',
      since: '2026-05-31T22:00:00.000Z',
      until: '2026-06-02T22:00:00.000Z',
    });
    expect(queryOf(readAuditFilters('?from=yesterday'), BERLIN)).toEqual({});
  });
});

import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { BusinessHours, OpenSpan, Weekday } from '../../src/kernel/business-hours.js';
import { isBusinessHours, plainHours, WEEKDAYS } from '../../src/kernel/business-hours.js';
import { offsetAt } from '../../src/kernel/local-time.js';
import { openingAt, openTimeBetween } from '../../src/kernel/opening.js';
import { OpeningCache } from '../../src/modules/availability/opening-cache.js';
import { localClockReads } from '../support/local-clock.js';

/** PROPERTY_RUNS=… sets the number of runs; PROPERTY_SEED=… repeats a printed seed. */
const { PROPERTY_RUNS = '300', PROPERTY_SEED } = process.env;
const settings = {
  numRuns: Number(PROPERTY_RUNS),
  ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
};
const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
const WINDOW_MINUTES = 16 * DAY_MINUTES;

/** First days of two-week windows around clock changes: in both directions, at midnight, by half an hour, by a day. */
const WINDOWS = [
  ['UTC', '2026-11-16'],
  ['Europe/Berlin', '2026-03-22'],
  ['Europe/Berlin', '2026-10-18'],
  ['America/New_York', '2026-03-01'],
  ['America/New_York', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-03-29'],
  ['Australia/Lord_Howe', '2026-09-27'],
  ['America/St_Johns', '2026-10-25'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['Africa/Cairo', '2026-04-17'],
  ['Africa/Cairo', '2026-10-23'],
  ['America/Havana', '2026-03-01'],
  ['Pacific/Apia', '2011-12-23'],
] as const;

interface LocalDay {
  date: string;
  weekday: Weekday;
}

interface LocalMinute {
  today: LocalDay;
  yesterday: LocalDay;
  time: string;
}

function localDay(time: number): LocalDay {
  const date = new Date(time);
  return { date: date.toISOString().slice(0, 10), weekday: WEEKDAYS[(date.getUTCDay() + 6) % 7] ?? 'mon' };
}

/** Returns the local day and time of every minute of a window, read from Intl. */
function localMinutes(timezone: string, date: string): { start: number; minutes: LocalMinute[] } {
  const start = Date.parse(`${date}T00:00:00Z`);
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const minutes = Array.from({ length: WINDOW_MINUTES }, (_, minute) => {
    const [day = '', time = ''] = clock.format(start + minute * MINUTE).split(' ');
    const midnight = Date.parse(`${day}T00:00:00Z`);
    return { today: localDay(midnight), yesterday: localDay(midnight - DAY_MINUTES * MINUTE), time };
  });
  return { start, minutes };
}

const windows = WINDOWS.map(([timezone, date]) => ({ timezone, date, ...localMinutes(timezone, date) }));

function spansThatBegin(hours: BusinessHours, { date, weekday }: LocalDay): OpenSpan[] {
  const holiday = hours.holidays?.find(other => other.date === date);
  return (holiday ? holiday.hours : hours[weekday]) ?? [];
}

function isOpenAt(hours: BusinessHours, { today, yesterday, time }: LocalMinute): boolean {
  const runsPastMidnight = ({ from, to }: OpenSpan) => to < from;
  return (
    spansThatBegin(hours, today).some(span => span.from <= time && (runsPastMidnight(span) || time < span.to)) ||
    spansThatBegin(hours, yesterday).some(span => runsPastMidnight(span) && time < span.to)
  );
}

const clockTime = fc
  .integer({ min: 0, max: DAY_MINUTES - 1 })
  .map(minute => `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`);
const midnightOrHour = fc.oneof(clockTime, fc.constantFrom('00:00', '00:30', '01:00', '02:00', '02:30', '03:00'));
const span = fc
  .tuple(midnightOrHour, fc.oneof(midnightOrHour, fc.constant('24:00')))
  .filter(([from, to]) => from !== to)
  .map(([from, to]) => ({ from, to }));
const spans = fc.array(span, { maxLength: 3 });
const week: fc.Arbitrary<BusinessHours> = fc
  .array(fc.tuple(fc.constantFrom(...WEEKDAYS), spans), { maxLength: 7 })
  .map(days => Object.fromEntries(days));

/** A timetable with holidays within the window, and an instant of the window's first week. */
const scene = fc.constantFrom(...windows).chain(window => {
  const dates = Array.from({ length: 16 }, (_, day) => localDay(window.start + day * DAY_MINUTES * MINUTE).date);
  const holiday = fc.record({ date: fc.constantFrom(...dates), hours: spans }, { requiredKeys: ['date'] });
  const holidays = fc.uniqueArray(holiday, { maxLength: 4, selector: ({ date }) => date });
  const hours = fc.tuple(week, holidays).map(([days, listed]) => ({ ...days, holidays: listed }));
  return fc.record({ window: fc.constant(window), hours, first: fc.nat(7 * DAY_MINUTES), within: fc.nat(MINUTE - 1) });
});

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

describe('openingAt', () => {
  it('`openingAt` agrees with a minute-by-minute search over two weeks across every clock change', () => {
    fc.assert(
      fc.property(scene, ({ window: { timezone, start, minutes }, hours, first, within }) => {
        expect(isBusinessHours(hours)).toBe(true);
        const { open, changesAt } = openingAt(hours, timezone, new Date(start + first * MINUTE + within));
        const walked = minutes.slice(first).map(minute => isOpenAt(hours, minute));
        const change = walked.findIndex(other => other !== walked[0]);
        expect(open).toBe(walked[0]);
        if (change >= 0)
          expect(changesAt?.toISOString()).toBe(new Date(start + (first + change) * MINUTE).toISOString());
        else expect(changesAt === null || changesAt.getTime() >= start + WINDOW_MINUTES * MINUTE).toBe(true);
      }),
      settings,
    );
  });

  it('`openTimeBetween` counts the open minutes of a minute-by-minute search across every clock change', () => {
    fc.assert(
      fc.property(scene, fc.nat(9 * DAY_MINUTES), ({ window: { timezone, start, minutes }, hours, first }, length) => {
        const [from, to] = [start + first * MINUTE, start + (first + length) * MINUTE];
        const walked = minutes.slice(first, first + length).filter(minute => isOpenAt(hours, minute));
        expect(openTimeBetween(hours, timezone, new Date(from), new Date(to))).toBe(walked.length * MINUTE);
      }),
      settings,
    );
  });

  it('`openTimeBetween` counts all time without a timetable, and none backwards', () => {
    const [one, other] = [new Date('2026-11-23T09:00:00Z'), new Date('2026-11-23T09:05:00Z')];
    expect([openTimeBetween(null, 'UTC', one, other), openTimeBetween(null, 'UTC', other, one)]).toEqual([300_000, 0]);
  });

  it('`openingAt` looks 400 days ahead and no further', () => {
    const now = new Date('2026-11-23T12:00:00Z');
    const opens = (date: string) =>
      openingAt({ holidays: [{ date, hours: [{ from: '09:00', to: '10:00' }] }] }, 'UTC', now).changesAt;
    expect(opens('2027-12-28')).toEqual(new Date('2027-12-28T09:00:00Z'));
    expect(opens('2027-12-29')).toBeNull();
  });

  it('`openingAt` keeps a night span open past the midnight before a holiday, and closes on the holiday', () => {
    const hours = {
      thu: [{ from: '22:00', to: '04:00' }],
      fri: [{ from: '09:00', to: '17:00' }],
      holidays: [{ date: '2026-12-25', name: 'Christmas Day' }],
    };
    expect(openingAt(hours, 'UTC', new Date('2026-12-25T03:59:00Z'))).toEqual({
      open: true,
      changesAt: new Date('2026-12-25T04:00:00Z'),
    });
    expect(openingAt(hours, 'UTC', new Date('2026-12-25T10:00:00Z'))).toEqual({
      open: false,
      changesAt: new Date('2026-12-31T22:00:00Z'),
    });
  });

  it('`openingAt` opens after the skipped hour when a span begins within that hour', () => {
    const hours = { sun: [{ from: '02:30', to: '10:00' }] };
    const opening = openingAt(hours, 'Europe/Berlin', new Date('2026-03-28T12:00:00Z'));
    expect(opening).toEqual({ open: false, changesAt: new Date('2026-03-29T01:00:00Z') });
  });

  it('`openingAt` opens twice when a span lies within the repeated hour', () => {
    const hours = { sun: [{ from: '02:15', to: '02:45' }] };
    const changes = ['2026-10-24T22:00:00Z'];
    for (let step = 0; step < 4; step += 1) {
      changes.push(openingAt(hours, 'Europe/Berlin', new Date(changes.at(-1) ?? '')).changesAt?.toISOString() ?? '');
    }
    expect(changes.slice(1)).toEqual([
      '2026-10-25T00:15:00.000Z',
      '2026-10-25T00:45:00.000Z',
      '2026-10-25T01:15:00.000Z',
      '2026-10-25T01:45:00.000Z',
    ]);
  });

  it('`openingAt` is always open without a timetable and never open with an empty one', () => {
    const now = new Date();
    expect(openingAt(null, 'UTC', now)).toEqual({ open: true, changesAt: null });
    expect(openingAt({}, 'UTC', now)).toEqual({ open: false, changesAt: null });
    expect(openingAt({ mon: [] }, 'UTC', now)).toEqual({ open: false, changesAt: null });
    const always = Object.fromEntries(WEEKDAYS.map(day => [day, [{ from: '00:00', to: '24:00' }]]));
    expect(openingAt(always, 'Europe/Berlin', now)).toEqual({ open: true, changesAt: null });
  });

  it('`openingAt` creates one formatter per time zone and reads the clock at most once per day', async () => {
    const timezone = 'America/Argentina/Ushuaia';
    let formatters = 0;
    const reads = await localClockReads(() => {
      const made = jest.spyOn(Intl, 'DateTimeFormat');
      for (let repeat = 0; repeat < 10; repeat += 1) {
        openingAt({ mon: [{ from: '09:01', to: '09:02' }] }, timezone, new Date('2026-11-23T13:00:00Z'));
      }
      formatters = made.mock.calls.length;
      made.mockRestore();
    });
    expect(formatters).toBe(1);
    expect(reads).toBeLessThanOrEqual(10 * 9);
  });

  it('`openingAt` finds the next opening of a timetable of one minute a week within 50 ms', () => {
    const hours = { mon: [{ from: '09:01', to: '09:02' }] };
    const started = performance.now();
    const { changesAt } = openingAt(hours, 'Europe/Berlin', new Date('2026-11-23T09:00:00Z'));
    expect(changesAt).toEqual(new Date('2026-11-30T08:01:00Z'));
    expect(performance.now() - started).toBeLessThan(50);
  });

  it('`offsetAt` caches at most 100 formatters and stays correct after one was evicted', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 150);
    const at = Date.parse('2026-07-01T00:00:00Z');
    const first = zones.map(zone => offsetAt(zone, at));
    const made = jest.spyOn(Intl, 'DateTimeFormat');
    expect(zones.map(zone => offsetAt(zone, at))).toEqual(first);
    const again = made.mock.calls.length;
    made.mockRestore();
    expect(again).toBeGreaterThanOrEqual(50);
  });
});

describe('isBusinessHours', () => {
  const nine = { from: '09:00', to: '17:00' };
  const many = (count: number) => Array.from({ length: count }, () => nine);
  const dates = (count: number) =>
    Array.from({ length: count }, (_, day) => ({ date: localDay(day * DAY_MINUTES * MINUTE).date }));

  it.each([
    ['a span past midnight', { fri: [{ from: '20:00', to: '02:00' }] }],
    ['a span until 24:00', { fri: [{ from: '00:00', to: '24:00' }] }],
    ['10 spans a day', { mon: many(10) }],
    ['100 holidays', { holidays: dates(100) }],
    ['a holiday with a name and hours', { holidays: [{ date: '2028-02-29', name: 'Leap day', hours: [nine] }] }],
  ])('`isBusinessHours` accepts %s', (_what, hours) => expect(isBusinessHours(hours)).toBe(true));

  it.each([
    ['a span from a time to the same time', { fri: [{ from: '09:00', to: '09:00' }] }],
    ['a span from 24:00', { fri: [{ from: '24:00', to: '09:00' }] }],
    ['a span until 24:01', { fri: [{ from: '09:00', to: '24:01' }] }],
    ['11 spans a day', { mon: many(11) }],
    ['11 spans on a holiday', { holidays: [{ date: '2026-12-25', hours: many(11) }] }],
    ['101 holidays', { holidays: dates(101) }],
    ['a holiday that is listed twice', { holidays: [{ date: '2026-12-25' }, { date: '2026-12-25', hours: [nine] }] }],
    ['a date that does not exist', { holidays: [{ date: '2026-02-29' }] }],
    ['a holiday without a date', { holidays: [{ name: 'Some day' }] }],
    ['a holiday whose name is no text', { holidays: [{ date: '2026-12-25', name: 7 }] }],
    ['holidays that are no list', { holidays: { date: '2026-12-25' } }],
    ['an unknown day', { someday: [] }],
  ])('`isBusinessHours` refuses %s', (_what, hours) => expect(isBusinessHours(hours)).toBe(false));

  it('`plainHours` drops unknown fields of spans and holidays', () => {
    const extra = { note: 'x' };
    const hours = {
      mon: [{ ...nine, ...extra }],
      holidays: [{ date: '2026-12-25', ...extra, hours: [{ ...nine, ...extra }] }],
    };
    expect(plainHours(hours)).toEqual({ mon: [nine], holidays: [{ date: '2026-12-25', hours: [nine] }] });
  });
});

describe('OpeningCache', () => {
  const hours = { mon: [{ from: '09:00', to: '17:00' }] };

  it('OpeningCache answers from memory until the next opening or closing, then computes again', async () => {
    const cache = new OpeningCache();
    const at = (time: string) => cache.get(hours, 'UTC', new Date(`2026-11-23T${time}Z`));
    expect(at('08:00:00')).toEqual({ open: false, changesAt: new Date('2026-11-23T09:00:00Z') });
    expect(await localClockReads(() => at('08:59:59'))).toBe(0);
    expect(at('09:00:00')).toEqual({ open: true, changesAt: new Date('2026-11-23T17:00:00Z') });
    expect(await localClockReads(() => at('16:59:59'))).toBe(0);
    expect(at('17:00:00').open).toBe(false);
    // The clock was set back.
    expect(at('08:30:00')).toEqual({ open: false, changesAt: new Date('2026-11-23T09:00:00Z') });
  });

  it('OpeningCache never answers for another timetable or another time zone', () => {
    const cache = new OpeningCache();
    const now = new Date('2026-11-23T08:30:00Z');
    expect(cache.get(hours, 'UTC', now).open).toBe(false);
    expect(cache.get(hours, 'Europe/Berlin', now).open).toBe(true);
    expect(cache.get({ mon: [{ from: '08:00', to: '17:00' }] }, 'UTC', now).open).toBe(true);
  });

  it('OpeningCache evicts the least recently used timetable when it is full', async () => {
    const cache = new OpeningCache(2);
    const now = new Date('2026-11-23T08:30:00Z');
    const get = (timezone: string) => localClockReads(() => cache.get(hours, timezone, now));
    for (const timezone of ['UTC', 'Europe/Berlin', 'UTC', 'Asia/Tokyo']) await get(timezone);
    expect([(await get('UTC')) > 0, (await get('Europe/Berlin')) > 0]).toEqual([false, true]);
  });
});

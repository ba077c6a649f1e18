import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { BusinessHours, Weekday } from '../../src/kernel/business-hours.js';
import { WEEKDAYS } from '../../src/kernel/business-hours.js';
import { offsetAt } from '../../src/kernel/local-time.js';
import { openingAt } from '../../src/kernel/opening.js';
import { OpeningCache } from '../../src/modules/widget/opening-cache.js';
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

interface LocalMinute {
  day: Weekday;
  time: string;
}

/** Returns the local day and time of every minute of a window, read from Intl. */
function localMinutes(timezone: string, date: string): { start: number; minutes: LocalMinute[] } {
  const start = Date.parse(`${date}T00:00:00Z`);
  const options = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...options });
  const minutes = Array.from({ length: WINDOW_MINUTES }, (_, minute) => {
    const [day = '', time = ''] = clock.format(start + minute * MINUTE).split(/,? /);
    return { day: day.toLowerCase() as Weekday, time };
  });
  return { start, minutes };
}

const windows = WINDOWS.map(([timezone, date]) => ({ timezone, ...localMinutes(timezone, date) }));

function isOpenAt(hours: BusinessHours, { day, time }: LocalMinute): boolean {
  return (hours[day] ?? []).some(({ from, to }) => from <= time && time < to);
}

const clockTime = fc
  .integer({ min: 0, max: DAY_MINUTES - 1 })
  .map(minute => `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`);
const midnightOrHour = fc.oneof(clockTime, fc.constantFrom('00:00', '00:30', '01:00', '02:00', '02:30', '03:00'));
const span = fc
  .tuple(midnightOrHour, fc.oneof(midnightOrHour, fc.constant('24:00')))
  .filter(([from, to]) => from < to)
  .map(([from, to]) => ({ from, to }));
const timetable: fc.Arbitrary<BusinessHours> = fc
  .array(fc.tuple(fc.constantFrom(...WEEKDAYS), fc.array(span, { maxLength: 3 })), { maxLength: 7 })
  .map(days => Object.fromEntries(days));

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

describe('openingAt', () => {
  it('`openingAt` agrees with a minute-by-minute search over two weeks across every clock change', () => {
    const instant = fc.tuple(fc.constantFrom(...windows), fc.nat(7 * DAY_MINUTES), fc.nat(MINUTE - 1));
    fc.assert(
      fc.property(timetable, instant, (hours, [{ timezone, start, minutes }, first, within]) => {
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

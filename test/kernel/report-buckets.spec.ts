import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { binOf, histogramOf, percentilesOf } from '../../src/modules/reports/duration-bins.js';
import { bucketsOf, INTERVALS, spansOf, toQuarters } from '../../src/modules/reports/report-buckets.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const QUARTER = HOUR / 4;
const ZONES = [
  ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ['Pacific/Chatham', 'Africa/Cairo', 'America/Santiago', 'Asia/Beirut', 'Antarctica/Troll', 'America/St_Johns'],
].flat();
const { PROPERTY_RUNS = '300' } = process.env;
const numRuns = Number(PROPERTY_RUNS);

const period = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const hoursOf = (from: string, to: string, interval: 'hour' | 'day' | 'week', zone: string) =>
  bucketsOf(period(from, to), interval, zone).map(bucket => (bucket.to - bucket.from) / HOUR);
const startsOf = (from: string, to: string, interval: 'hour' | 'day' | 'week', zone: string) =>
  bucketsOf(period(from, to), interval, zone).map(bucket => new Date(bucket.from).toISOString().slice(0, 16));
const localOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  });
  return (at: number) => format.format(at);
};

describe('Buckets', () => {
  it('The days on which summer time begins and ends have 23 and 25 hours.', () => {
    const zone = 'Europe/Berlin';
    expect(hoursOf('2026-03-27T23:00Z', '2026-03-30T22:00Z', 'day', zone)).toEqual([24, 23, 24]);
    expect(hoursOf('2026-10-23T22:00Z', '2026-10-26T23:00Z', 'day', zone)).toEqual([24, 25, 24]);
    expect(hoursOf('2026-03-22T23:00Z', '2026-04-05T22:00Z', 'week', zone)).toEqual([167, 168]);
  });

  it('An hour that occurs twice is two buckets, and one that is skipped is none.', () => {
    const zone = 'Europe/Berlin';
    expect(startsOf('2026-10-25T00:00Z', '2026-10-25T03:00Z', 'hour', zone)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ]);
    expect(hoursOf('2026-03-28T23:00Z', '2026-03-29T22:00Z', 'hour', zone)).toEqual(
      Array.from({ length: 23 }, () => 1),
    );
  });

  it('Hours and days of zones with half and quarter hours begin by their local clock.', () => {
    expect(startsOf('2026-01-01T00:00Z', '2026-01-01T02:00Z', 'hour', 'Asia/Kathmandu')).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T00:15',
      '2026-01-01T01:15',
    ]);
    expect(startsOf('2026-01-01T00:00Z', '2026-01-03T00:00Z', 'day', 'Asia/Kolkata')).toEqual([
      '2026-01-01T00:00',
      '2026-01-01T18:30',
      '2026-01-02T18:30',
    ]);
  });

  it('Where the clock moves by half an hour, no bucket spans the change.', () => {
    expect(hoursOf('2026-04-04T14:00Z', '2026-04-04T16:30Z', 'hour', 'Australia/Lord_Howe')).toEqual([1, 0.5, 1]);
    expect(hoursOf('2026-04-03T13:00Z', '2026-04-05T13:30Z', 'day', 'Australia/Lord_Howe')).toEqual([24, 24.5]);
  });

  it('A day that begins at one o’clock, because summer time begins at midnight, begins at the change.', () => {
    expect(hoursOf('2026-04-22T22:00Z', '2026-04-24T21:00Z', 'day', 'Africa/Cairo')).toEqual([24, 23]);
    expect(hoursOf('2026-10-28T21:00Z', '2026-10-30T22:00Z', 'day', 'Africa/Cairo')).toEqual([25, 24]);
  });

  it('Weeks begin on Monday.', () => {
    expect(startsOf('2026-01-01T00:00Z', '2026-01-13T00:00Z', 'week', 'UTC')).toEqual([
      '2026-01-01T00:00',
      '2026-01-05T00:00',
      '2026-01-12T00:00',
    ]);
  });

  it('In every zone, buckets tile the period at quarters of an hour, and each has one local hour or date.', () => {
    const start = fc.integer({ min: Date.UTC(2020, 0) / QUARTER, max: Date.UTC(2030, 0) / QUARTER });
    const length = fc.integer({ min: 1, max: (20 * DAY) / QUARTER });
    const property = fc.property(
      fc.constantFrom(...ZONES),
      fc.constantFrom(...INTERVALS),
      start,
      length,
      (zone, interval, first, quarters) => {
        const whole = { from: first * QUARTER, to: (first + quarters) * QUARTER };
        const buckets = bucketsOf(whole, interval, zone);
        expect([buckets[0]?.from, buckets.at(-1)?.to]).toEqual([whole.from, whole.to]);
        const local = localOf(zone);
        for (const [index, { from, to }] of buckets.entries()) {
          expect(from).toBeLessThan(to);
          expect(from % QUARTER).toBe(0);
          expect(buckets[index + 1]?.from ?? to).toBe(to);
          if (interval === 'hour') expect(to - from).toBeLessThanOrEqual(HOUR);
          const key = (at: number) => local(at).slice(0, interval === 'hour' ? 14 : 10);
          if (interval !== 'week') expect(key(to - 1)).toBe(key(from));
        }
      },
    );
    fc.assert(property, { numRuns });
  });
});

describe('Spans', () => {
  it('A period is cut into whole days, hours and quarters that tile it, with at most seven ranges.', () => {
    const quarter = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(quarter, quarter, quarter, (from, length, summed) => {
        const whole = { from: from * QUARTER, to: (from + length + 1) * QUARTER };
        const summedUntil = Math.floor(summed / 2) * HOUR;
        const spans = spansOf(whole, summedUntil);
        expect(spans.length).toBeLessThanOrEqual(7);
        expect([spans[0]?.from, spans.at(-1)?.to]).toEqual([whole.from, whole.to]);
        for (const [index, { from: begin, to: end, span }] of spans.entries()) {
          expect([begin % (span * 60_000), end % (span * 60_000)]).toEqual([0, 0]);
          if (span !== 15) expect(end).toBeLessThanOrEqual(summedUntil);
          expect(spans[index + 1]?.from ?? end).toBe(end);
        }
      }),
      { numRuns },
    );
  });

  it('A time between quarters is rounded outwards.', () => {
    const given = period('2026-01-01T10:07:00Z', '2026-01-01T10:31:00Z');
    expect(toQuarters(given)).toEqual(period('2026-01-01T10:00:00Z', '2026-01-01T10:45:00Z'));
  });
});

describe('Histograms', () => {
  const duration = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 400 * DAY }));
  const sumOf = (all: readonly number[]) => all.reduce((sum, ms) => sum + BigInt(histogramOf(ms)), 0n).toString();

  it('Percentiles of added histograms are within 5 % of the nearest rank.', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1, maxLength: 500 }), all => {
        const sorted = [...all].sort((one, other) => one - other);
        const found = percentilesOf(sumOf(all), [0.5, 0.9]);
        for (const [index, share] of [0.5, 0.9].entries()) {
          const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
          expect(Math.abs((found[index] ?? NaN) - exact)).toBeLessThanOrEqual(exact * 0.05);
        }
      }),
      { numRuns },
    );
  });

  it('A duration that is taken back leaves the histogram as it was.', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1 }), duration, (all, more) => {
        const added = BigInt(sumOf([...all, more]));
        expect((added - BigInt(histogramOf(more))).toString()).toBe(sumOf(all));
      }),
      { numRuns },
    );
  });

  it('Durations of many years share the last bin.', () => {
    expect(binOf(Number.MAX_SAFE_INTEGER)).toBe(300);
  });
});

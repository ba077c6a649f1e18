import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { EventReadingRepository } from '../../src/platform/events/event-reading.repository.js';
import { WatermarkLag } from '../../src/platform/events/watermark-lag.js';

describe("The lag of the event log's watermark", () => {
  let now = 0;
  let lag: WatermarkLag;
  let blocker: { pid: number; user: string | null } | null;
  let lines: string[];
  beforeEach(() => {
    now = 1_000;
    blocker = { pid: 4_711, user: 'reports' };
    lines = [];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    for (const level of ['warn', 'log'] as const) {
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((text: unknown) => void lines.push(`${level}: ${String(text)}`));
    }
    const events = { findBlocker: () => Promise.resolve(blocker) } as unknown as EventReadingRepository;
    lag = new WatermarkLag(events, new Registry());
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Updates four times a second. @param xmin of each snapshot; the next transaction is 1,000 */
  async function look(seconds: number, xmin: bigint): Promise<void> {
    for (let left = seconds * 4; left > 0; left -= 1) {
      lag.update({ xmin, xmax: 1_000n });
      now += 250;
      await Promise.resolve();
    }
    await new Promise(resolve => setImmediate(resolve));
  }

  it('A transaction that stays open for an hour is logged repeatedly, with growing pauses.', async () => {
    await look(3_600, 10n);
    const seconds = lines.map(line => Number(/for (\d+) s/.exec(line)?.[1]));
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1_240, 1_840, 2_440, 3_040]);
    expect(lines[0]).toBe(
      'warn: the event log has been held back for 5 s by process 4711 of PostgreSQL (user reports)',
    );
  });

  it('The end of a delay that was warned about is logged with its length and its cause.', async () => {
    await look(20, 10n);
    lines = [];
    await look(1, 1_000n);
    expect(lines).toEqual([
      'log: the event log settles again: it was held back for 20 s by process 4711 of PostgreSQL (user reports)',
    ]);
    await look(20, 1_000n);
    expect(lines).toHaveLength(1);
  });

  it('A second open transaction behind the first starts a new delay.', async () => {
    await look(7, 10n);
    await look(4, 20n);
    expect(lines.map(line => line.split(':')[0])).toEqual(['warn', 'log']);
    await look(3, 20n);
    expect(lines).toHaveLength(3);
  });

  it('Short delays in a row are not logged.', async () => {
    for (let xmin = 1n; xmin < 20n; xmin += 1n) await look(4, xmin);
    expect(lines).toEqual([]);
  });

  it('A delay without a process points to prepared transactions.', async () => {
    blocker = null;
    await look(6, 10n);
    expect(lines[0]).toContain('pg_prepared_xacts');
  });
});

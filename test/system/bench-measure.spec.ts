import { describe, expect, it } from '@jest/globals';
import { bench } from '../support/bench.js';

const { quantile, median, slope, spread, random, shuffled } = await bench('measure/statistics.js');
const { gather } = await bench('measure/figures.js');
const { watch } = await bench('measure/processor.js');
const { descriptorsShort } = await bench('measure/descriptors.js');
const { Budget } = await bench('budget.js');
const { judge, isGross } = await bench('bars.js');
const { summarise, markdown } = await bench('report.js');
const { FrameReader } = await bench('load/frames.js');
const { Tally } = await bench('load/tally.js');

/** Uses so many seconds of processor time, however busy the machine is. */
function burn(seconds: number): void {
  const before = process.cpuUsage();
  for (let used = 0; used < seconds * 1_000_000;) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
}

describe('Benchmark figures', () => {
  it('Quantiles and medians do not depend on the order of the values.', () => {
    const values = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
    expect([0, 0.5, 0.99, 1].map(part => quantile(values, part))).toEqual([1, 51, 100, 100]);
    expect(median([10, 9, 100])).toBe(10);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([], 0.5)).toBeNaN();
    expect(median([])).toBeNaN();
    expect(spread([3, NaN, 1, 2])).toEqual({ median: 2, min: 1, max: 3, count: 3 });
  });

  it('The slope is that of the least-squares line.', () => {
    const points: [number, number][] = [
      [0, 5],
      [1, 7],
      [2, 9],
    ];
    expect(slope(points)).toBeCloseTo(2);
    expect(slope([...points, [1, 8], [1, 6]])).toBeCloseTo(2);
    expect(slope([[1, 1]])).toBeNaN();
  });

  it('Disturbed rounds count only if there are no undisturbed ones.', () => {
    const quiet = { rate: 100, foreign: 0.1 };
    const loud = { rate: 10, foreign: 0.9 };
    expect(gather([loud, quiet, loud])).toMatchObject({
      disturbed: false,
      figures: { rate: { median: 100, count: 1 } },
    });
    expect(gather([loud, loud])).toMatchObject({ disturbed: true, figures: { rate: { median: 10, count: 2 } } });
  });

  it('The order of a round differs each time and is the same for the same seed.', () => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f'];
    const orders = (seed: number) => {
      const next = random(seed);
      return Array.from({ length: 20 }, () => shuffled(items, next).join(''));
    };
    expect(orders(1)).toEqual(orders(1));
    expect(orders(1)).not.toEqual(orders(2));
    expect(new Set(orders(1)).size).toBeGreaterThan(10);
    expect(orders(3).every(order => [...order].sort().join('') === 'abcdef')).toBe(true);
  });

  it('The processor time of watched processes is separated from that of other processes.', () => {
    const done = watch({ self: [process.pid] }, process.pid);
    burn(0.3);
    const used = done();
    expect(used.self).toBeGreaterThan(0.05);
    expect(used.self).toBeLessThan(2);
    // Without any processes of our own, all of it is foreign.
    const nobodys = watch({}, 0);
    burn(0.3);
    expect(nobodys().foreign).toBeGreaterThan(0.2);
  });
});

describe('File descriptors', () => {
  it('Too few file descriptors are reported with both numbers; exactly enough are accepted.', () => {
    expect(descriptorsShort(1024, 1024)).toBeNull();
    expect(descriptorsShort(1025, 1024)).toMatch(/1025 .*1024/);
    expect(descriptorsShort(1)).toBeNull();
    expect(descriptorsShort(1e12)).not.toBeNull();
  });
});

describe('The time budget', () => {
  it('The time of a scenario is its share plus what earlier scenarios left over.', () => {
    let now = 0;
    const [short, long] = [{ takes: 10 }, { takes: 30, least: { full: 0.014, quick: 0.001 } }];
    const budget = new Budget(100, [short, long], () => now);
    budget.begin(short);
    now = 24;
    expect(budget.allows()).toBe(true);
    now = 25;
    expect(budget.allows()).toBe(false);
    budget.begin(long);
    now = 83;
    expect([budget.allows(), budget.hasRoomFor(long, 'full')]).toEqual([true, true]);
    now = 85;
    expect([budget.allows(), budget.hasRoomFor(long, 'full')]).toEqual([true, false]);
    expect(budget.hasRoomFor(long, 'quick')).toBe(true);
    now = 99;
    expect(budget.allows()).toBe(false);
  });

  it('Repeating disturbed rounds may take a tenth of the total time.', async () => {
    let now = 0;
    const budget = new Budget(100, [{}], () => now);
    budget.begin({});
    expect(await budget.again(async () => (now = 9))).toBe(9);
    expect(budget.allowsAgain()).toBe(true);
    await budget.again(async () => (now = 10));
    expect(budget.allowsAgain()).toBe(false);
    expect(budget.allows()).toBe(true);
  });
});

describe('A bar', () => {
  const medians: Record<string, number> = { 'ours rate': 120, 'by-hand rate': 100, 'ours missing': 0, 'ours p50': 3 };
  const median = (id: string, metric: string) => medians[`${id} ${metric}`];
  const verdict = (bar: object) => judge(bar, '', median);

  it('A bar is met at exactly its value, and not below it.', () => {
    const against = { opponent: 'by-hand' };
    expect(verdict({ metric: 'rate', against, atLeast: 1.2 })).toMatchObject({ value: 1.2, verdict: 'met' });
    expect(verdict({ metric: 'rate', against, atLeast: 1.21 }).verdict).toBe('not met');
    expect(verdict({ metric: 'rate', against, atMost: 1.2 }).verdict).toBe('met');
    expect(verdict({ metric: 'rate', against, atMost: 1.1 }).verdict).toBe('not met');
    expect(verdict({ metric: 'rate', against, difference: true, atMost: 20 })).toMatchObject({
      value: 20,
      verdict: 'met',
    });
    expect(verdict({ metric: 'p50', atMost: 2 }).verdict).toBe('not met');
    expect(verdict({ metric: 'missing', atMost: 0 }).verdict).toBe('met');
  });

  it('A bar is not judged if an opponent did not run.', () => {
    const nobody = verdict({ metric: 'rate', against: { opponent: 'socket-io' }, atLeast: 1 });
    expect(nobody).toMatchObject({ verdict: 'not judged', value: null });
    expect(isGross(nobody)).toBe(false);
  });

  it('A bar is missed grossly below half of it, or by a single missing message.', () => {
    const gross = (bar: object) => isGross(verdict(bar));
    const against = { opponent: 'by-hand' };
    expect(gross({ metric: 'rate', against, atLeast: 2.3 })).toBe(false);
    expect(gross({ metric: 'rate', against, atLeast: 2.5 })).toBe(true);
    expect(gross({ metric: 'p50', atMost: 1.6 })).toBe(false);
    expect(gross({ metric: 'p50', atMost: 1.4 })).toBe(true);
    // With a `reached` value, below half of that value: here 1.2, and 3 ms.
    expect(gross({ metric: 'rate', against, atLeast: 9, reached: 2.3 })).toBe(false);
    expect(gross({ metric: 'rate', against, atLeast: 9, reached: 2.5 })).toBe(true);
    expect(gross({ metric: 'p50', atMost: 0.5, reached: 1.6 })).toBe(false);
    expect(gross({ metric: 'p50', atMost: 0.5, reached: 1.4 })).toBe(true);
    expect(verdict({ metric: 'rate', against, atLeast: 9, reached: 1 }).verdict).toBe('not met');
    medians['ours missing'] = 1;
    expect(gross({ metric: 'missing', atMost: 0 })).toBe(true);
  });
});

describe('The report', () => {
  const servers = {
    ours: { id: 'ours', name: 'ours', durable: true },
    'by-hand': { id: 'by-hand', name: 'by hand', durable: true },
    redis: { id: 'redis', name: 'some bus', durable: false },
    nats: { id: 'nats', name: 'NATS', durable: false },
  };
  const bars = [{ metric: 'rate', against: { opponent: 'by-hand' }, atLeast: 1.2 }];
  const scenario = { id: 'S1', title: 'Sending', columns: ['rate'], bars, cases: [{ name: '' }] };
  const rounds = (serverMicros: number, ...rates: number[]) =>
    rates.map(rate => ({ rate, serverMicros, databaseMicros: 30, foreign: 0 }));
  const played = {
    '': { ours: rounds(90, 90, 130, 110), 'by-hand': rounds(150, 100, 100, 100), redis: rounds(10, 900) },
  };
  const outcome = { scenario, played, broken: {}, absent: { nats: 'nats-server is not installed' } };
  const summary = summarise({ mode: 'quick' }, [outcome], servers);

  it('The report shows medians with minimum and maximum, the ratio to the by-hand opponent, and the verdict.', () => {
    const page = markdown(summary);
    expect(page).toContain('| a second ≥ 1.2 × by-hand | 1.10 (110.0 to 100.0) | not met | 1.50 |');
    expect(page).toContain('| ours | 110 (90–130) | 1.10 | 3 |');
    expect(page).toContain('| by hand | 100 | 1.00 | 3 |');
  });

  it('The report shows notes, lists skipped cases, and omits bars of full runs in a quick run.', () => {
    const noting = { ...outcome, notes: { '': { ours: ['Limit', '  Index Scan'] } }, leftOut: { huge: 'no room' } };
    const onlyFull = { ...scenario, bars: [...bars, { metric: 'rate', atLeast: 7, fullOnly: true }] };
    const page = (mode: string) => markdown(summarise({ mode }, [{ ...noting, scenario: onlyFull }], servers));
    expect(page('quick')).toContain('ours:\n\n```\nLimit\n  Index Scan\n```');
    expect(page('quick')).toContain('Left out: huge (no room).');
    expect(page('quick')).not.toContain('≥ 7');
    expect(page('full')).toContain('| a second ≥ 7 | 110.00 | met |');
  });

  it('The report separates opponents that store nothing, and lists absent ones with the reason.', () => {
    const [durable, volatile] = markdown(summary).split('### stores nothing');
    expect(durable).not.toContain('some bus');
    expect(volatile).toContain('| some bus | 900 |');
    expect(volatile).toContain('NATS (nats-server is not installed)');
  });
});

describe('A listener of the benchmark', () => {
  it('The frame reader reads frames of every length, in chunks of any size.', () => {
    const texts = ['', 'short', 'x'.repeat(125), 'y'.repeat(126), 'z'.repeat(70_000)];
    const bytes = Buffer.concat(texts.map(serverFrame));
    for (const portion of [1, 7, 1_000, bytes.length]) {
      const received: string[] = [];
      const reader = new FrameReader((opcode, data, start, end) =>
        received.push(`${opcode}${data.toString('utf8', start, end)}`),
      );
      for (let at = 0; at < bytes.length; at += portion) reader.read(bytes.subarray(at, at + portion));
      expect(received).toEqual(texts.map(text => `1${text}`));
    }
  });

  it('The tally counts missing and repeated messages.', () => {
    const tally = new Tally();
    const receive = (content: string) => {
      const frame = Buffer.from(JSON.stringify({ type: 'message.created', data: { message: { content } } }));
      tally.receive(frame, 0, frame.length);
    };
    tally.content(0);
    tally.begin(1);
    const contents = [1, 2, 3].map(since => tally.content(since));
    for (const content of contents) for (let listener = 0; listener < 2; listener += 1) receive(content);
    expect(tally.lacking(2)).toEqual({ missing: 0, repeated: 0 });
    expect(tally.lacking(3)).toEqual({ missing: 3, repeated: 0 });
    receive(contents[1] ?? '');
    receive('of somebody else');
    expect(tally.lacking(2)).toEqual({ missing: 0, repeated: 1 });
  });
});

function serverFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = [0x81];
  if (bytes.length < 126) head.push(bytes.length);
  else if (bytes.length < 65_536) head.push(126, bytes.length >> 8, bytes.length & 0xff);
  else head.push(127, 0, 0, 0, 0, 0, bytes.length >> 16, (bytes.length >> 8) & 0xff, bytes.length & 0xff);
  return Buffer.concat([Buffer.from(head), bytes]);
}

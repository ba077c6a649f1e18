/** Each bin reaches to 1.1 times its beginning, so its middle is within 5 % of every duration in it. */
const RATIO = 1.1;
/** The last bin begins at 70 years. */
const LAST_BIN = 300;
/** Decimal digits of one bin. The report of a year counts fewer than 10^8 durations in any bin. */
const DIGITS = 8;
const ZERO = '0'.charCodeAt(0);

/**
 * A histogram is one decimal number, of which each bin has eight digits. PostgreSQL adds histograms as numbers, which
 * is a hundred times faster than adding arrays.
 * @returns the histogram of one duration
 */
export function histogramOf(ms: number): string {
  return `1${'0'.repeat(DIGITS * binOf(ms))}`;
}

/** Bin 0 is for durations below a millisecond. */
export function binOf(ms: number): number {
  if (ms < 1) return 0;
  return Math.min(LAST_BIN, 1 + Math.floor(Math.log(ms) / Math.log(RATIO)));
}

/**
 * The durations of a histogram up to which these shares of all durations reach, in milliseconds: nearest rank, within 5 %.
 * @param shares ascending, 0.5 for the median
 */
export function percentilesOf(histogram: string, shares: readonly number[]): number[] {
  const counts = countsOf(histogram);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const ranks = shares.map(share => Math.ceil(total * share));
  const found: number[] = [];
  let passed = 0;
  for (const [bin, count] of counts.entries()) {
    passed += count;
    while (found.length < ranks.length && passed >= (ranks[found.length] ?? 0)) found.push(middleOf(bin));
  }
  return found;
}

/** The number of durations in each bin. Reads digit by digit: a report has thousands of histograms of a thousand digits. */
function countsOf(histogram: string): number[] {
  const counts: number[] = [];
  for (let end = histogram.length; end > 0; end -= DIGITS) {
    let count = 0;
    for (let index = Math.max(0, end - DIGITS); index < end; index += 1) {
      count = count * 10 + histogram.charCodeAt(index) - ZERO;
    }
    counts.push(count);
  }
  return counts;
}

/** The value with the smallest relative distance to both ends of the bin. */
function middleOf(bin: number): number {
  return bin === 0 ? 0 : (2 * RATIO ** bin) / (RATIO + 1);
}

/** Two neighbours of one conversation: what was said first has the higher transaction's number. */
export interface OutOfOrderPair {
  /** The number of what was said first. */
  earlier: bigint;
  /** The number of what was said next. */
  later: bigint;
}

/**
 * Where a range of transactions' numbers must end, at most at `bound`, so that it holds nothing without what was said
 * before it in its conversation. Read range by range, each in order of position, every conversation then is in order,
 * and no event is read twice.
 */
export function safeUpperBound(bound: bigint, overtakings: readonly OutOfOrderPair[]): bigint {
  const parted = overtakings
    .filter(({ earlier, later }) => later < bound && earlier >= bound)
    .map(({ later }) => later);
  if (parted.length === 0) return bound;
  return safeUpperBound(
    parted.reduce((least, number) => (number < least ? number : least)),
    overtakings,
  );
}

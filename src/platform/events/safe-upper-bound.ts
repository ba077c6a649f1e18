/** Two consecutive events of one conversation, of which the earlier has the higher transaction number. */
export interface OutOfOrderPair {
  /** The transaction number of the earlier event. */
  earlier: bigint;
  /** The transaction number of the later event. */
  later: bigint;
}

/**
 * Lowers the end of a range of transaction numbers until it separates no out-of-order pair. Read range by range, each
 * in order of position, every conversation is then in order and no event is read twice.
 * @returns at most `bound`
 */
export function safeUpperBound(bound: bigint, pairs: readonly OutOfOrderPair[]): bigint {
  const separated = pairs.filter(({ earlier, later }) => later < bound && earlier >= bound).map(({ later }) => later);
  if (separated.length === 0) return bound;
  return safeUpperBound(
    separated.reduce((least, number) => (number < least ? number : least)),
    pairs,
  );
}

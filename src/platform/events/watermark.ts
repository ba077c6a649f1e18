/** Names one event of the log, so that its presence there can be checked later. */
export interface EventMark {
  position: string;
  /** The end of the event's id: positions and transaction numbers are used again after a restore, ids are not. */
  mark: string;
}

/** The event with the highest transaction number of all that were read. */
export interface NewestEvent extends EventMark {
  xid: bigint;
}

/** A snapshot of PostgreSQL: transactions from `xmax` on, and those that are open, are invisible to it. */
export interface Snapshot {
  text: string;
  xmin: bigint;
  xmax: bigint;
  open: bigint[];
}

/** @param text of `pg_snapshot`: `xmin:xmax:open,open,…` */
export function readSnapshot(text: string): Snapshot {
  const [xmin = '0', xmax = '0', open = ''] = text.split(':');
  return { text, xmin: BigInt(xmin), xmax: BigInt(xmax), open: open === '' ? [] : open.split(',').map(BigInt) };
}

/**
 * How far a reader is in the log: it has read every event that was visible to its last snapshot. Kept as the newest of
 * these events and the older transactions that were open, not as the snapshot itself: transaction numbers that left no
 * event behind are used again after a crash of PostgreSQL, and events under such a number would be skipped.
 */
export class Watermark {
  private readonly open: ReadonlySet<bigint>;
  /** Every event of a transaction below this number has been read. */
  readonly low: bigint;

  constructor(
    readonly newest: NewestEvent,
    open: readonly bigint[],
  ) {
    this.open = new Set(open.filter(xid => xid <= newest.xid));
    this.low = [...this.open].reduce((low, xid) => (xid < low ? xid : low), newest.xid + 1n);
  }

  /** The transactions below the newest event's whose events are still to be read. */
  get unread(): bigint[] {
    return [...this.open];
  }

  covers(xid: bigint): boolean {
    return xid <= this.newest.xid && !this.open.has(xid);
  }
}

export function markOf(id: string): string {
  return id.slice(-12);
}

/** The later of two by transaction number; within one transaction, by position. */
export function newerOf<T extends { xid: bigint; position: string }>(one: T, other: T): T {
  if (one.xid !== other.xid) return one.xid > other.xid ? one : other;
  return BigInt(one.position) >= BigInt(other.position) ? one : other;
}

/**
 * Whether the log still has what a reader has behind it.
 * @param since every event below this transaction number was read
 * @param found the event at the mark's position; null where the log has none
 * @param pruned the highest transaction number of which retention has removed an event
 */
export function isProved(
  { mark }: EventMark,
  since: bigint,
  found: { id: string; xid: bigint } | null,
  pruned: bigint,
): boolean {
  if (found === null) return pruned + 1n >= since;
  return markOf(found.id) === mark && found.xid + 1n >= since;
}

/** Identifies one event, so that its presence in the log can be checked later. */
export interface EventMark {
  position: string;
  /** The end of the event's id. After a restore, positions and transaction numbers are reused, ids are not. */
  mark: string;
}

/** The event with the highest transaction number among those that were read. */
export interface NewestEvent extends EventMark {
  xid: bigint;
}

/** A PostgreSQL snapshot. Transactions from `xmax` on, and those in `open`, are invisible to it. */
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
 * A reader's position in the log: it has read every event that was visible to its last snapshot.
 *
 * It stores the newest of these events and the older transactions that were open, not the snapshot. After a crash,
 * PostgreSQL reuses transaction numbers that wrote nothing, and events under such a number would be skipped.
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

  /** The transactions below the newest event's that were open, whose events are still unread. */
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

/** Compares by transaction number, then by position. */
export function newerOf<T extends { xid: bigint; position: string }>(one: T, other: T): T {
  if (one.xid !== other.xid) return one.xid > other.xid ? one : other;
  return BigInt(one.position) >= BigInt(other.position) ? one : other;
}

/**
 * Checks that the log still contains the event that the reader read last.
 * @param since every event below this transaction number was read
 * @param found the event at the mark's position; null where there is none
 * @param pruned the highest transaction number among the events that retention has removed
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

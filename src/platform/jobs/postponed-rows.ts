const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** More rows than this fail only if everything fails; then the oldest are tried again early. */
const MAX_ROWS = 1_000;

interface Postponed {
  until: number;
  pause: number;
}

/** Rows that a worker leaves alone for a while, with the length of their last pause. Bounded. */
export class PostponedRows {
  private readonly rows = new Map<string, Postponed>();

  /** Ids of the rows whose pause has not ended. */
  ids(): string[] {
    const now = performance.now();
    return [...this.rows].filter(([, { until }]) => until > now).map(([id]) => id);
  }

  add(id: string, pause: number): void {
    this.rows.delete(id);
    this.rows.set(id, { until: performance.now() + pause, pause });
    const [oldest] = this.rows.keys();
    if (this.rows.size > MAX_ROWS && oldest !== undefined) this.rows.delete(oldest);
  }

  /** Postpones a row for twice as long as the last time. @returns the pause in milliseconds */
  addFailed(id: string): number {
    const last = this.rows.get(id)?.pause;
    const pause = last === undefined ? FIRST_PAUSE_MS : Math.min(2 * last, MAX_PAUSE_MS);
    this.add(id, pause);
    return pause;
  }

  remove(id: string): void {
    this.rows.delete(id);
  }
}

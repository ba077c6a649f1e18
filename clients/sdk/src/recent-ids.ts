/** Set of the latest ids, at most `capacity`, so that a socket that is open for weeks does not use more memory. */
export class RecentIds {
  private readonly ids = new Set<string>();

  /** The default is twice the 1,000 events that a resume may repeat. */
  constructor(private readonly capacity = 2_000) {}

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** @returns false when the id is already known */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    // A Set keeps insertion order, so the first id is the oldest.
    for (const oldest of this.ids) {
      if (this.ids.size <= this.capacity) break;
      this.ids.delete(oldest);
    }
    return true;
  }
}

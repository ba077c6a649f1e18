/** Remembers the last ids, no more of them than `capacity`: a socket that stays open for weeks does not grow. */
export class RecentIds {
  private readonly ids = new Set<string>();

  /** Twice the 1,000 events that a resume may repeat. */
  constructor(private readonly capacity = 2_000) {}

  /** @returns false when the id is known already */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    // A Set keeps the order of insertion, so its first is its oldest.
    for (const oldest of this.ids) {
      if (this.ids.size <= this.capacity) break;
      this.ids.delete(oldest);
    }
    return true;
  }
}

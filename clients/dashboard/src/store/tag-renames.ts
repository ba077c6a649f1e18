interface TagRename {
  from: string;
  to: string | null;
  at: string;
  position: number;
}

/**
 * Renamed, merged and deleted tags. One event changes all conversations with the tag, so names that were read before it
 * are translated when they are shown.
 */
export class TagRenames {
  private readonly renames: TagRename[] = [];

  /** @param at time of the event @param position of its frame @returns false if it is known */
  add(from: string, to: string | null, at: string, position: number): boolean {
    if (this.renames.some(known => known.from === from && known.at === at)) return false;
    this.renames.push({ from, to, at, position });
    this.renames.sort((a, b) => (a.at < b.at ? -1 : 1));
    return true;
  }

  /** Time of the newest rename that a response contains; empty if there is none. @param mark of its request */
  newestAt(mark: number): string {
    return this.renames.filter(({ position }) => position <= mark).at(-1)?.at ?? '';
  }

  /** @param at time at which these were the names */
  translate(tags: readonly string[], at: string): string[] {
    let names = [...tags];
    for (const rename of this.renames) {
      if (rename.at <= at || !names.includes(rename.from)) continue;
      names = names.flatMap(name => (name === rename.from ? (rename.to ?? []) : name));
    }
    return [...new Set(names)];
  }
}

/** The form in which the service compares names of tags. */
export function tagKey(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

import type { BusinessHours } from './business-hours.js';
import type { Opening } from './opening.js';
import { openingAt } from './opening.js';

const MAX_ENTRIES = 1_000;
/** A desk that never opens is looked at anew once a day: by then 400 days reach one day further. */
const LONGEST_MS = 24 * 3_600_000;

interface Entry {
  opening: Opening;
  from: number;
  until: number;
}

/**
 * Remembers the opening of each timetable until it changes: every visitor's page asks. The key is the timetable itself,
 * so a changed one is never answered from memory. The least recently used entries give way.
 */
export class OpeningCache {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly most = MAX_ENTRIES) {}

  get(hours: BusinessHours | null, timezone: string, at: Date): Opening {
    if (hours === null) return openingAt(hours, timezone, at);
    const key = `${timezone} ${JSON.stringify(hours)}`;
    const known = this.entries.get(key);
    this.entries.delete(key);
    const entry = known && isCurrent(known, at) ? known : newEntry(hours, timezone, at);
    const [oldest] = this.entries.keys();
    if (this.entries.size >= this.most && oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(key, entry);
    return entry.opening;
  }
}

function isCurrent({ from, until }: Entry, at: Date): boolean {
  return from <= at.getTime() && at.getTime() < until;
}

function newEntry(hours: BusinessHours | null, timezone: string, at: Date): Entry {
  const opening = openingAt(hours, timezone, at);
  const from = at.getTime();
  const until = Math.min(opening.changesAt?.getTime() ?? Infinity, from + LONGEST_MS);
  return { opening, from, until };
}

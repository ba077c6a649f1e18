import { LRUCache } from 'lru-cache';
import type { BusinessHours } from '../../kernel/business-hours.js';
import type { Opening } from '../../kernel/opening.js';
import { openingAt } from '../../kernel/opening.js';

const MAX_ENTRIES = 1_000;
/** Characters of all keys. A timetable with every span and holiday has some 60,000. */
const MAX_CHARACTERS = 4_000_000;
/**
 * An entry without a next change is computed again once a day, because the 400-day limit then reaches a day further.
 */
const MAX_AGE_MS = 24 * 3_600_000;

interface Entry {
  opening: Opening;
  from: number;
  until: number;
}

/**
 * Cache of each timetable's opening until its next change, because every widget page load needs it. The key is the
 * timetable itself, so a changed timetable never gets a stale answer.
 */
export class OpeningCache {
  private readonly entries: LRUCache<string, Entry>;

  constructor(maxEntries = MAX_ENTRIES) {
    this.entries = new LRUCache({
      max: maxEntries,
      maxSize: MAX_CHARACTERS,
      sizeCalculation: (_entry, key) => key.length,
    });
  }

  get(hours: BusinessHours | null, timezone: string, at: Date): Opening {
    if (hours === null) return openingAt(hours, timezone, at);
    const key = `${timezone} ${JSON.stringify(hours)}`;
    const known = this.entries.get(key);
    if (known && isCurrent(known, at)) return known.opening;
    const entry = newEntry(hours, timezone, at);
    this.entries.set(key, entry);
    return entry.opening;
  }
}

function isCurrent({ from, until }: Entry, at: Date): boolean {
  return from <= at.getTime() && at.getTime() < until;
}

function newEntry(hours: BusinessHours, timezone: string, at: Date): Entry {
  const opening = openingAt(hours, timezone, at);
  const from = at.getTime();
  const until = Math.min(opening.changesAt?.getTime() ?? Infinity, from + MAX_AGE_MS);
  return { opening, from, until };
}

import { Roster } from './roster.js';
import { fieldOf } from './roster-book.js';

const SELF = 'self';

/** The twin for one instance: whoever is anywhere is here. */
export class MemoryRoster extends Roster {
  readonly kind = 'memory';

  enter(room: string, who: string, note: string): void {
    this.book.set(SELF, fieldOf(room, who), note, Date.now());
  }

  leave(room: string, who: string, at = Date.now()): void {
    this.book.set(SELF, fieldOf(room, who), undefined, at);
  }

  close(): Promise<void> {
    this.book.close();
    return Promise.resolve();
  }
}

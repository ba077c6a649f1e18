import type { RosterListener } from './roster.js';
import { Roster } from './roster.js';
import { fieldOf, RosterBook } from './roster-book.js';

const SELF = 'self';

/** The twin for one instance: whoever is anywhere is here. */
export class MemoryRoster extends Roster {
  readonly kind = 'memory';
  private readonly book = new RosterBook();

  enter(room: string, who: string, note: string): void {
    this.book.set(SELF, fieldOf(room, who), note, Date.now());
  }

  leave(room: string, who: string, at = Date.now()): void {
    this.book.set(SELF, fieldOf(room, who), undefined, at);
  }

  noteOf(room: string, who: string): string | undefined {
    return this.book.noteOf(room, who);
  }

  present(room: string): ReadonlyMap<string, string> {
    return this.book.present(room);
  }

  listen(listener: RosterListener): () => void {
    return this.book.listen(listener);
  }

  close(): Promise<void> {
    this.book.close();
    return Promise.resolve();
  }
}

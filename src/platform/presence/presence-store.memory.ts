import { PresenceStore } from './presence-store.js';
import { fieldOf } from '../presence/presence-index.js';

const SELF = 'self';

/** The twin for one instance: whoever is anywhere is here. */
export class MemoryPresenceStore extends PresenceStore {
  readonly kind = 'memory';

  enter(room: string, who: string, note: string): void {
    this.index.set(SELF, fieldOf(room, who), note, Date.now());
  }

  leave(room: string, who: string, at = Date.now()): void {
    this.index.set(SELF, fieldOf(room, who), undefined, at);
  }

  close(): Promise<void> {
    this.index.close();
    return Promise.resolve();
  }
}

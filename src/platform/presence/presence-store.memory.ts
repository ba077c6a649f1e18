import { PresenceStore } from './presence-store.js';
import { toField } from '../presence/presence-index.js';

const SELF = 'self';

/** The implementation for a single instance. */
export class MemoryPresenceStore extends PresenceStore {
  readonly kind = 'memory';

  enter(group: string, id: string, metadata: string): void {
    this.index.set(SELF, toField(group, id), metadata, Date.now());
  }

  leave(group: string, id: string, at = Date.now()): void {
    this.index.set(SELF, toField(group, id), undefined, at);
  }

  close(): Promise<void> {
    this.index.close();
    return Promise.resolve();
  }
}

import { PresenceIndex } from '../presence/presence-index.js';
import type { PresenceListener } from '../presence/presence-change.js';

/**
 * Presence entries of all running instances, by group and id. Each instance writes its own entries and reads all of
 * them from memory.
 *
 * Reads never throw, but they can be a moment late: presence is not a source of truth. The entries of an instance that
 * crashed expire within one time to live.
 *
 * A `group` contains no space; `id` and `metadata` are arbitrary text.
 */
export abstract class PresenceStore {
  /** `memory` or `redis`. */
  abstract readonly kind: string;
  /** The entries of all instances. */
  protected readonly index = new PresenceIndex();

  /** Adds this instance's entry, or replaces its metadata. It stays until `leave`. */
  abstract enter(group: string, id: string, metadata: string): void;

  /** Removes this instance's entry. @param at when its subject was last seen, in milliseconds; default: now */
  abstract leave(group: string, id: string, at?: number): void;

  /** @returns the metadata that any instance wrote last; undefined where there is no entry */
  findMetadata(group: string, id: string): string | undefined {
    return this.index.findMetadata(group, id);
  }

  /** @returns the latest metadata by id */
  listPresent(group: string): ReadonlyMap<string, string> {
    return this.index.listPresent(group);
  }

  /** Calls the listener synchronously on every change of an entry. @returns a function that removes the listener */
  listen(listener: PresenceListener): () => void {
    return this.index.listen(listener);
  }

  /**
   * Stops this instance. Its remaining entries stay for `graceMs`, so that subjects who reconnect to another instance
   * in that time never appear offline.
   */
  abstract close(graceMs: number): Promise<void>;
}

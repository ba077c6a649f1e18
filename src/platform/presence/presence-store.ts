import { PresenceIndex } from '../presence/presence-index.js';
import type { PresenceListener } from '../presence/presence-change.js';

/**
 * Who is where, as all living instances hold it together: each enters and takes out its own, and knows what the others
 * have entered. Asked at any time, for it is kept in memory; never throws, and never a truth: it can be a moment late,
 * and what an instance has entered that died is forgotten within a time to live.
 *
 * `room` has no space in it; `who` and `note` are any text.
 */
export abstract class PresenceStore {
  /** `memory` or `redis`. */
  abstract readonly kind: string;
  /** What is known of all instances. */
  protected readonly index = new PresenceIndex();

  /** From now on somebody is here by this instance, until it takes them out; again with another note, that one holds. */
  abstract enter(room: string, who: string, note: string): void;

  /** Takes out what this instance has entered. @param at when they were last here, in milliseconds; now where absent */
  abstract leave(room: string, who: string, at?: number): void;

  /** What was said of them last, by whichever instance; undefined where they are not. */
  metadataOf(room: string, who: string): string | undefined {
    return this.index.metadataOf(room, who);
  }

  /** Everyone in the room, with what was said of them last. */
  present(room: string): ReadonlyMap<string, string> {
    return this.index.present(room);
  }

  /** Hears at once of every change of who is where, and of notes. @returns a function that ends it */
  listen(listener: PresenceListener): () => void {
    return this.index.listen(listener);
  }

  /** This instance ends; what it has still entered holds for so long, in case they come back by another. */
  abstract close(graceMs: number): Promise<void>;
}

import type { Principal } from './principal.js';

/**
 * What rooms further right keep of a thing that ends, and let go of in the same unit of work: the sessions of a member,
 * the conversations of a bot. The thing's own room cannot name them, for it imports nothing to its right; so they put
 * themselves on this list when they start, and whoever ends the thing calls them all, in that order.
 */
export class TeardownHooks<Thing> {
  private readonly hooks: TeardownHook<Thing>[] = [];

  add(holder: TeardownHook<Thing>): void {
    this.hooks.push(holder);
  }

  /** Part of the caller's unit of work: one holder that throws keeps the thing from ending. */
  async run(thing: Thing, by: Principal): Promise<void> {
    for (const holder of this.hooks) await holder(thing, by);
  }
}

export type TeardownHook<Thing> = (thing: Thing, by: Principal) => Promise<void>;

import type { Principal } from './principal.js';

/**
 * Hooks that other modules register to clean up what they store for a resource that ends: the sessions of a member, the
 * conversations of a bot. The owning module runs them in the unit of work that ends the resource. It cannot import the
 * other modules, which come later in the module order, so they register themselves when they start.
 */
export class TeardownHooks<Resource> {
  private readonly hooks: TeardownHook<Resource>[] = [];

  add(hook: TeardownHook<Resource>): void {
    this.hooks.push(hook);
  }

  /**
   * Runs the hooks in order of registration, in the caller's unit of work. A hook that throws prevents the teardown.
   */
  async run(resource: Resource, by: Principal): Promise<void> {
    for (const hook of this.hooks) await hook(resource, by);
  }
}

export type TeardownHook<Resource> = (resource: Resource, by: Principal) => Promise<void>;

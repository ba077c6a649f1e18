import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Caller } from './http.js';
import type { Desk } from './world.js';
import { World } from './world.js';

/**
 * The opening of a spec file with one service for all of its tests and a desk of its own for each; to import it is to
 * have it. The bindings are live: each test finds its own.
 */
export let world: World;
export let desk: Desk;
/** The desk's owner. */
export let owner: Caller;

beforeAll(async () => {
  world = await World.start();
});
afterEach(() => world.app.clock.reset());
afterAll(() => world.stop());

beforeEach(async () => {
  desk = await world.desk();
  owner = desk.owner.api;
});

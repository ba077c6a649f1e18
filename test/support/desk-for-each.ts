import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Caller } from './http.js';
import type { Desk } from './world.js';
import { World } from './world.js';

/**
 * Set-up of a spec file by import: one service for all its tests, and a new desk for each. The bindings are live, so
 * each test sees its own desk.
 */
export let world: World;
export let desk: Desk;
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

import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { TestDatabase } from './database.js';
import { TwoInstances } from './two-instances.js';
import type { Desk, World } from './world.js';

/**
 * Set-up of a spec file by import: two instances on one database for all its tests, and a new desk for each. They share
 * nothing but the database: what happens on the first reaches the second through the log alone.
 */
export let first: World;
export let second: World;
export let database: TestDatabase;
export let desk: Desk;

let instances: TwoInstances;

beforeAll(async () => {
  instances = await TwoInstances.start();
  database = instances.database;
  [first, second] = instances.worlds;
});
afterAll(() => instances.stop());

beforeEach(async () => {
  desk = await first.desk();
});

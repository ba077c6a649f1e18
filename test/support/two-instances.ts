import type { TestDatabase } from './database.js';
import { dedicatedDatabase } from './dedicated-database.js';
import { World } from './world.js';

/**
 * Two instances on one database in a server of its own. Without `REDIS_URL` in the environment they share nothing else:
 * events reach the other instance through the log alone.
 */
export class TwoInstances {
  private constructor(
    readonly database: TestDatabase,
    readonly worlds: readonly [World, World],
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<TwoInstances> {
    const database = await dedicatedDatabase();
    const first = await World.start(environment, { database });
    return new TwoInstances(database, [first, await World.start(environment, { database })]);
  }

  /** @throws Error of the first frame, refusal or close code that the reference does not list */
  async stop(): Promise<void> {
    await Promise.all(this.worlds.map(world => world.stop()));
    await this.database.drop();
  }
}

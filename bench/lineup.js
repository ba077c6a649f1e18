import { startLoad } from './load.js';
import { opponents } from './opponents/index.js';

/** Started opponents, each with its own load generator. Waiting opponents use no processor time. */
export class Lineup {
  seats = new Map();

  /** @param world `{postgres, redis, folder, desks}`: resources that opponents use to start */
  constructor(world) {
    this.world = world;
  }

  /**
   * Starts the opponent on the first call.
   * @returns `{opponent, server, load, watched, warm}`; `warm` after its first case
   */
  async seat(id) {
    const seated = this.seats.get(id);
    if (seated) return seated;
    const opponent = opponents[id];
    const server = await opponent.start(this.world);
    const load = server.load ?? startLoad();
    const watched = { server: server.pids, database: [this.world.postgres.pid], load: load.pid ? [load.pid] : [] };
    const seat = { opponent, server, load, watched, warm: false };
    this.seats.set(id, seat);
    return seat;
  }

  /** Stops all opponents, or those with these ids. */
  async leave(ids = [...this.seats.keys()]) {
    for (const id of ids) {
      const seat = this.seats.get(id);
      this.seats.delete(id);
      seat?.load.stop();
      await seat?.server.stop();
    }
  }
}

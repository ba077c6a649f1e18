import { startLoad } from './load.js';
import { opponents } from './opponents/index.js';

/** The opponents that have been started, each with a load generator of its own; those that wait cost nothing. */
export class Lineup {
  seats = new Map();

  /** @param world `{postgres, redis, folder, desks}`: what an opponent may start with */
  constructor(world) {
    this.world = world;
  }

  /** @returns `{opponent, server, load, watched, warm}`, started when it is first asked for; `warm` once it has played */
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

  /** Ends all of them, or those of these ids. */
  async leave(ids = [...this.seats.keys()]) {
    for (const id of ids) {
      const seat = this.seats.get(id);
      this.seats.delete(id);
      seat?.load.stop();
      await seat?.server.stop();
    }
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { BROKEN_FRAMES } from '../../support/broken-frames.js';
import { PgBouncer, pgbouncerVersion } from '../../support/pgbouncer.js';
import { RawSocket } from '../../support/raw-socket.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';

/** Number of broken frames per seed, each on its own socket beside all others. */
const THROWN = 20;

/** Peers and proxies of the service that misbehave or behave differently. */
export const NEIGHBOUR_FAULTS: readonly Fault[] = [
  {
    number: 'F14',
    name: 'sockets send invalid WebSocket frames',
    async inject({ stage, crowd, random }) {
      for (let count = 0; count < THROWN; count += 1) {
        const [description, frames, code] = pick(random, BROKEN_FRAMES);
        const { token } = pick(random, pick(random, crowd.desks).visitors);
        const socket = await RawSocket.open(pick(random, stage.instances).url, `/ws/visitor?token=${token}`);
        socket.write(...frames);
        await socket.until(() => socket.closeCode !== null, `close after ${description}`, 10_000);
        if (socket.closeCode !== code)
          throw new Error(`${description} closed with ${socket.closeCode}, expected ${code}`);
        socket.destroy();
      }
    },
  },
  {
    number: 'F16',
    name: 'a PgBouncer in transaction mode with few connections is put in between and removed again',
    needs: () => (pgbouncerVersion() === null ? 'PgBouncer is not installed' : null),
    async inject({ stage: { database }, random }) {
      const bouncer = await PgBouncer.before(database.directUrl, ['default_pool_size = 3']);
      try {
        database.proxy.setTarget(bouncer.url);
        database.proxy.reset();
        await delay(1_000 + random() * 2_000);
      } finally {
        database.proxy.setTarget(database.directUrl);
        database.proxy.reset();
        await bouncer.stop();
      }
    },
  },
];

import { setTimeout as delay } from 'node:timers/promises';
import { BROKEN_FRAMES } from '../../support/broken-frames.js';
import { PgBouncer, pgbouncerVersion } from '../../support/pgbouncer.js';
import { RawSocket } from '../../support/raw-socket.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';

/** How many of the broken frames a seed throws; each on a socket of its own, beside everybody else's. */
const THROWN = 20;

/** What stands around the service and does not do as it should, or does it in another way. */
export const NEIGHBOUR_FAULTS: readonly Fault[] = [
  {
    number: 'F14',
    name: 'sockets that talk no WebSocket',
    async strike({ stage, crowd, random }) {
      for (let count = 0; count < THROWN; count += 1) {
        const [what, frames, code] = pick(random, BROKEN_FRAMES);
        const { token } = pick(random, pick(random, crowd.desks).visitors);
        const socket = await RawSocket.open(pick(random, stage.instances).url, `/ws/visitor?token=${token}`);
        socket.write(...frames);
        await socket.until(() => socket.closeCode !== null, `close after ${what}`, 10_000);
        if (socket.closeCode !== code) throw new Error(`${what} was answered with ${socket.closeCode}, not ${code}`);
        socket.destroy();
      }
    },
  },
  {
    number: 'F16',
    name: 'a PgBouncer in transaction mode comes between, with fewer connections than are wanted, and goes again',
    needs: () => (pgbouncerVersion() === null ? 'there is no PgBouncer here' : null),
    async strike({ stage: { database }, random }) {
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

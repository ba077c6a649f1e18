import { setTimeout as delay } from 'node:timers/promises';
import { descriptorsShort } from '../measure/descriptors.js';
import { figuresOf } from '../measure/figures.js';
import { watch } from '../measure/processor.js';

const LISTENERS_EACH = 10;
/** Sockets that are opened and closed before counting, so that code is compiled and one-time allocations exist. */
const FIRST = 500;
/** Messages a second that are sent while the sockets are idle; each goes to the sockets of one room. */
const PER_SECOND = 20;
/** Time for the server to clean up closed sockets. */
const SETTLING_MS = 500;
const KIB = 1024;

const crowd = sockets => ({
  name: `${sockets.toLocaleString('en')} sockets`,
  shape: { conversations: sockets / LISTENERS_EACH, listenersEach: LISTENERS_EACH },
  fullOnly: sockets > 2_000,
  // each socket needs a descriptor in the load generator and one in the server; both have other open files
  absent: () => descriptorsShort(sockets + 500),
});
const [SMALL, LARGE] = [crowd(2_000), crowd(10_000)];

export default {
  id: 'S5',
  title: 'Idle sockets, each in a room',
  takes: 93,
  least: { full: 85, quick: 25 },
  fullOnly: true,
  cases: [SMALL, LARGE],
  opponents: ['ours', 'socket-io'],
  quick: ['ours', 'socket-io'],
  columns: [
    'heapKib',
    'residentKib',
    'rate',
    'serverMicros',
    'stallMs',
    'idleCores',
    'deliveryP50',
    'deliveryP99',
    'missing',
  ],
  bars: [
    { metric: 'heapKib', case: LARGE.name, atMost: 8, fullOnly: true },
    { metric: 'heapKib', against: { opponent: 'socket-io' }, atMost: 0.6, reached: 0.65 },
    { metric: 'missing', atMost: 0 },
  ],
  fresh: true,
  warmSeconds: 0,
  once: true,

  async enter({ server, load }, shape) {
    const { conversations } = await server.stage(shape);
    const sockets = conversations.flatMap(one => one.sockets);
    await load.open({ port: server.port, sockets: sockets.slice(0, FIRST) });
    await load.close();
    await delay(SETTLING_MS);
    return { sockets, targets: conversations.map(({ send }) => send), before: await server.ask('memory') };
  },

  async play({ server, load, watched }, { sockets, targets, before }, { seconds }) {
    const { port } = server;
    await server.ask('time');
    const opening = watch(watched, process.pid);
    const { open } = await load.open({ port, sockets });
    const cpu = opening();
    const { stallMs } = await server.ask('time');
    const after = await server.ask('memory');
    const idling = watch(watched, process.pid);
    await delay(seconds * 1000);
    const idle = idling();
    const wants = {
      port,
      targets,
      connections: 8,
      seconds,
      perSecond: PER_SECOND,
      listenersEach: LISTENERS_EACH,
      watched,
    };
    const { deliveryP50, deliveryP99, missing } = await load.drive(wants);
    await load.close();
    const kib = field => (after[field] - before[field]) / open / KIB;
    return {
      ...figuresOf({ operations: open, cpu }),
      rate: open / cpu.seconds,
      heapKib: kib('heapUsed') + kib('external'),
      residentKib: kib('rss'),
      stallMs,
      idleCores: idle.server / idle.seconds,
      deliveryP50,
      deliveryP99,
      missing,
    };
  },
};

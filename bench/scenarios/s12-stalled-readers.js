import { resolve } from 'node:path';
import { figuresOf } from '../measure/figures.js';
import { median } from '../measure/statistics.js';
import { root } from '../processes.js';
import { CONNECTIONS } from './sending.js';

const READERS = 200;
/** One of a hundred. */
const STALLED = 2;
const CONVERSATIONS = 10;
/** Between them is looked at what is held; meanwhile nothing is said. */
const BURSTS = 5;
const BURST_SECONDS = 0.6;
const WARM_SECONDS = 2;
/** What the kernel takes for a reader who does not read fills sooner with long messages. */
const LONG = 'x'.repeat(16_000);
const MIB = 1024 * 1024;

/**
 * Some read no more, and are given new ones to follow them when they are cut off. What they are owed is held, up to the
 * limit of each socket, and the others must not notice.
 */
export default {
  id: 'S12',
  title: `${STALLED} of ${READERS} readers have stalled`,
  takes: 46,
  least: { full: 25, quick: 20 },
  cases: [
    { name: 'all read', shape: { stalled: 0 } },
    { name: 'stalled', shape: { stalled: STALLED } },
  ],
  opponents: ['ours'],
  quick: ['ours'],
  columns: [
    'rate',
    'serverMicros',
    'databaseMicros',
    'deliveryP50',
    'deliveryP99',
    'missing',
    'heldMib',
    'ofLimit',
    'cut',
  ],
  bars: [
    { metric: 'ofLimit', case: 'stalled', atMost: 1 },
    { metric: 'cut', case: 'stalled', atLeast: 1 },
    { metric: 'rate', case: 'stalled', against: { case: 'all read' }, atLeast: 0.95 },
    { metric: 'missing', atMost: 0 },
  ],
  warmSeconds: 0,
  once: true,

  async enter({ server, load }, { stalled }) {
    const { conversations, inbox } = await server.stage({ conversations: CONVERSATIONS, inbox: READERS });
    const readers = inbox.slice(stalled);
    await load.open({ port: server.port, sockets: readers });
    const targets = conversations.map(({ send }) => ({ ...send, after: ` ${LONG}${send.after}` }));
    const wants = { port: server.port, targets, connections: CONNECTIONS, listenersEach: readers.length };
    await load.drive({ ...wants, seconds: WARM_SECONDS, watched: {} });
    return { wants, stalled: inbox.slice(0, stalled), limit: await bufferLimit() };
  },

  async play({ server, load, watched }, { wants, stalled, limit }) {
    const { port } = server;
    const before = held(await server.ask('memory'));
    const bursts = [];
    let [most, cut] = [0, 0];
    for (let burst = 0; burst < BURSTS; burst += 1) {
      cut += (await load.stall({ port, sockets: stalled })).cut;
      bursts.push(await load.drive({ ...wants, seconds: BURST_SECONDS, watched }));
      most = Math.max(most, held(await server.ask('memory')) - before);
    }
    cut += (await load.stall({ port, sockets: [] })).cut;
    const figures = figuresOf(together(bursts));
    return { ...figures, cut, heldMib: most / MIB, ofLimit: most / (limit * STALLED) };
  },
};

function held({ heapUsed, external }) {
  return heapUsed + external;
}

/** What the service holds for one slow reader at most. */
async function bufferLimit() {
  const { BUFFER } = await import(resolve(root, 'dist/platform/sockets/socket-connection.js'));
  return BUFFER.limit;
}

function together(bursts) {
  const sum = of => bursts.reduce((total, burst) => total + of(burst), 0);
  const middle = name => median(bursts.map(burst => burst[name]));
  const names = Object.keys(bursts[0].cpu);
  const cpu = Object.fromEntries(names.map(name => [name, sum(burst => burst.cpu[name])]));
  return {
    operations: sum(({ operations }) => operations),
    missing: sum(({ missing }) => missing),
    rate: middle('rate'),
    deliveryP50: middle('deliveryP50'),
    deliveryP99: middle('deliveryP99'),
    cpu: { ...cpu, foreign: cpu.foreign / bursts.length },
  };
}

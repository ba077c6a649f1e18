import { resolve } from 'node:path';
import { figuresOf } from '../measure/figures.js';
import { median } from '../measure/statistics.js';
import { root } from '../processes.js';
import { CONNECTIONS } from './sending.js';

const READERS = 200;
/** One percent of the readers. */
const STALLED = 2;
const CONVERSATIONS = 10;
/** Memory is measured between bursts, when no messages are sent. */
const BURSTS = 5;
/** All bursts together exceed the buffers of the kernel and the limit of a socket on a machine of any speed. */
const BURST_MESSAGES = 300;
const BURST_LIMIT_SECONDS = 30;
const WARM_SECONDS = 2;
/** Long messages fill the kernel's buffer of a stalled reader sooner. */
const LONG = 'x'.repeat(16_000);
const MIB = 1024 * 1024;

/**
 * Some readers stop reading, and are replaced when the server disconnects them. The server buffers their messages up to
 * the limit of each socket, and the other readers must not be affected.
 */
export default {
  id: 'S12',
  title: `${STALLED} of ${READERS} readers are stalled`,
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
    'heapMib',
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
    const before = bytesInV8(await server.ask('memory'));
    const bursts = [];
    let [maxBytes, cut] = [0, 0];
    for (let burst = 0; burst < BURSTS; burst += 1) {
      cut += (await load.stall({ port, sockets: stalled })).cut;
      bursts.push(await load.drive({ ...wants, times: BURST_MESSAGES, seconds: BURST_LIMIT_SECONDS, watched }));
      maxBytes = Math.max(maxBytes, bytesInV8(await server.ask('memory')) - before);
    }
    cut += (await load.stall({ port, sockets: [] })).cut;
    const figures = figuresOf(combine(bursts));
    return { ...figures, cut, heapMib: maxBytes / MIB, ofLimit: maxBytes / (limit * STALLED) };
  },
};

function bytesInV8({ heapUsed, external }) {
  return heapUsed + external;
}

/** Returns the service's buffer limit for one slow reader. */
async function bufferLimit() {
  const { BUFFER } = await import(resolve(root, 'dist/platform/sockets/socket-connection.js'));
  return BUFFER.limit;
}

function combine(bursts) {
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

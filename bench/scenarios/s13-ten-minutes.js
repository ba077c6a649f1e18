import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../load.js';
import { openDescriptors } from '../measure/descriptors.js';
import { figuresOf } from '../measure/figures.js';
import { mean, slope } from '../measure/statistics.js';
import { CONNECTIONS } from './sending.js';

const CROWD = { conversations: 100, listenersEach: 10 };
/** Seconds at full load: once to warm up, and once to find half of the rate. */
const FULL_SECONDS = 3;
/** The first three tenths of the samples do not count, while caches fill and pools grow. */
const SETTLED = 0.3;
/** Seconds between samples; each sample follows a garbage collection. */
const LOOK_SECONDS = 10;
/** New visitors per batch. Each starts a conversation and does not return. */
const NEW_VISITORS = 20;
/** Sockets of each new visitor. */
const PAGES = 2;
/** Short-lived sockets: how many at once, and the pause after each. */
const COMING = { atOnce: 2, pauseMs: 50 };
const MIB = 1024 * 1024;

export default {
  id: 'S13',
  title: 'Ten minutes at half load, with short-lived sockets and new visitors',
  takes: 660,
  least: { full: 640, quick: 60 },
  long: true,
  cases: [
    { name: '40 seconds', shape: { seconds: 40 }, quickOnly: true },
    { name: '10 minutes', shape: { seconds: 600 }, fullOnly: true },
  ],
  opponents: ['ours'],
  quick: ['ours'],
  columns: [
    ...['rate', 'serverMicros', 'serverCores', 'ackP99', 'deliveryP99', 'missing', 'connects'],
    ...['heapSlope', 'residentSlope', 'descriptorGrowth'],
  ],
  bars: [
    { metric: 'heapSlope', case: '10 minutes', atMost: 1, fullOnly: true },
    { metric: 'residentSlope', case: '10 minutes', atMost: 1, fullOnly: true },
    { metric: 'descriptorGrowth', case: '10 minutes', atMost: 5, fullOnly: true },
    { metric: 'missing', atMost: 0 },
  ],
  fresh: true,
  rounds: 1,
  warmSeconds: 0,
  once: true,

  async enter({ server, load }, shape) {
    const { port } = server;
    // these sockets stay open until the end: no token may expire before
    const { conversations } = await server.stage({ ...CROWD, renewed: true });
    await load.open({ port, sockets: conversations.flatMap(({ sockets }) => sockets) });
    const targets = conversations.map(({ send }) => send);
    const wants = { port, targets, connections: CONNECTIONS, listenersEach: CROWD.listenersEach };
    const full = { ...wants, seconds: FULL_SECONDS, watched: {} };
    await load.drive(full);
    const { rate } = await load.drive(full);
    const churn = startLoad();
    return { churn, looks: [], wants: { ...wants, seconds: shape.seconds, perSecond: Math.round(rate / 2) } };
  },

  async play({ server, load, watched }, { churn, looks, wants }) {
    const { port } = server;
    let over = false;
    const sending = load.drive({ ...wants, watched }).finally(() => (over = true));
    let connects = 0;
    let conversationCount = CROWD.conversations;
    const coming = async () => {
      while (!over) {
        conversationCount += NEW_VISITORS;
        const { conversations } = await server.stage({ conversations: conversationCount, listenersEach: PAGES });
        const sockets = conversations.slice(-NEW_VISITORS).flatMap(one => one.sockets);
        connects += (await churn.connects({ port, sockets, ...COMING, seconds: LOOK_SECONDS / 2, watched: {} }))
          .operations;
      }
    };
    const looking = async () => {
      const begun = performance.now();
      while (!over) {
        const { heapUsed, external, rss } = await server.ask('memory');
        const minute = (performance.now() - begun) / 60_000;
        const [heap, resident] = [(heapUsed + external) / MIB, rss / MIB];
        looks.push({ minute, heap, resident, descriptors: openDescriptors(server.pid) });
        await Promise.race([delay(LOOK_SECONDS * 1000, undefined, { ref: false }), sending]);
      }
    };
    const [measured] = await Promise.all([sending, coming(), looking()]);
    return { ...figuresOf(measured), connects, ...trend(looks, wants.seconds / 60) };
  },

  note: ({ looks }) => looks.map(line),

  leave: ({ churn }) => churn.stop(),
};

/** Returns growth in MiB a minute, and the descriptors of the last third of the samples minus those of the first. */
export function trend(looks, minutes) {
  const settled = looks.filter(({ minute }) => minute >= minutes * SETTLED);
  const third = Math.ceil(settled.length / 3);
  const descriptors = some => mean(some.map(one => one.descriptors));
  return {
    heapSlope: slope(settled.map(({ minute, heap }) => [minute, heap])),
    residentSlope: slope(settled.map(({ minute, resident }) => [minute, resident])),
    descriptorGrowth: descriptors(settled.slice(-third)) - descriptors(settled.slice(0, third)),
  };
}

function line({ minute, heap, resident, descriptors }) {
  const [at, mib, whole] = [minute, heap, resident].map(value => value.toFixed(1));
  return `minute ${at}: ${mib} MiB in V8, ${whole} resident, ${descriptors} descriptors`;
}

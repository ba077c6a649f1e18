import { setTimeout as delay } from 'node:timers/promises';
import { client } from '../client.js';
import { startLoad } from '../load.js';
import { figuresOf } from '../measure/figures.js';
import { each } from '../pace.js';

/** Sockets per conversation: one stays connected, the others disconnect and reconnect. */
const LISTENERS_EACH = 5;
const MISSED = 20;
const PER_SECOND = 200;
const CONNECTIONS = 32;
/** Seconds of messages to the connected sockets until all code is compiled. */
const WARM_SECONDS = 3;
/** A message that has not arrived by then counts as missing. */
const LATE_MS = 3_000;

const crowd = (sockets, stormSeconds, only) => ({
  name: `${sockets.toLocaleString('en')} sockets`,
  shape: { conversations: sockets / (LISTENERS_EACH - 1), listenersEach: LISTENERS_EACH, stormSeconds },
  ...only,
});

/**
 * All sockets disconnect at once, miss messages, and reconnect at once with their cursors, while messages arrive at a
 * steady rate in the same conversations. Delivery is measured on the sockets that stayed connected.
 */
export default {
  id: 'S10',
  title: `All sockets reconnect at once, each missing ${MISSED} messages, beside ${PER_SECOND} messages a second`,
  takes: 58,
  least: { full: 45, quick: 20 },
  fullOnly: true,
  cases: [crowd(500, 1, { quickOnly: true }), crowd(2_000, 3, { fullOnly: true })],
  opponents: ['ours'],
  quick: ['ours'],
  columns: [
    ...['missing', 'synced', 'halfMs', 'wholeMs', 'handshakes', 'refused'],
    ...['calmP99', 'deliveryP50', 'deliveryP99', 'ackP99', 'stallMs'],
  ],
  bars: [
    { metric: 'missing', atMost: 0 },
    { metric: 'deliveryP99', against: { metric: 'calmP99' }, atMost: 10 },
    { metric: 'wholeMs', atMost: 5_000 },
  ],
  fresh: true,
  warmSeconds: 0,
  once: true,

  async enter({ server, load }, shape) {
    const { port } = server;
    const { conversations } = await server.stage(shape);
    const targets = conversations.map(({ send }) => send);
    const members = conversations.flatMap(({ id, sockets }) =>
      sockets.slice(1).map(socket => ({ ...socket, conversation: id })),
    );
    const returning = startLoad();
    try {
      await load.open({ port, sockets: conversations.map(({ sockets }) => sockets[0]) });
      await returning.gather({ port, sockets: members });
      await send(load, port, targets, WARM_SECONDS);
    } catch (error) {
      returning.stop();
      throw error;
    }
    return { returning, targets, conversations };
  },

  async play({ server, load, watched }, { returning, targets, conversations }, { shape }) {
    const { port } = server;
    const calm = await send(load, port, targets, shape.stormSeconds);
    const before = await lastSeqs(port, conversations);
    await returning.cut();
    const times = MISSED * targets.length;
    await load.drive({ port, targets, connections: CONNECTIONS, seconds: 60, times, listenersEach: 1, watched: {} });
    await server.ask('time');
    const [recovery, storm] = await Promise.all([
      returning.back(),
      send(load, port, targets, shape.stormSeconds, watched),
    ]);
    const { stallMs } = await server.ask('time');
    const last = await lastSeqs(port, conversations);
    const spans = Object.fromEntries(conversations.map(({ id }, index) => [id, [before[index] + 1, last[index]]]));
    const { missing, synced } = await waitForMissing(returning, spans);
    const { missing: missed, ...figures } = figuresOf(storm);
    return { ...figures, ...recovery, missing: missing + missed, synced, calmP99: calm.deliveryP99, stallMs };
  },

  leave: ({ returning }) => returning.stop(),
};

function send(load, port, targets, seconds, watched = {}) {
  const rate = { perSecond: PER_SECOND, connections: CONNECTIONS };
  return load.drive({ port, targets, seconds, listenersEach: 1, watched, ...rate });
}

async function lastSeqs(port, conversations) {
  const { made, close } = client(port);
  const read = ({ id, send: { token } }) => made('GET', `/v1/conversations/${id}`, undefined, token);
  return each(conversations, 16, async one => (await read(one)).last_seq).finally(close);
}

async function waitForMissing(returning, spans) {
  const late = performance.now() + LATE_MS;
  for (;;) {
    const lacking = await returning.lacking({ spans });
    if (lacking.missing === 0 || performance.now() > late) return lacking;
    await delay(100);
  }
}

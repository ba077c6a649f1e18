import { figuresOf } from '../measure/figures.js';

/** Concurrent handshakes. */
const AT_ONCE = 32;

export default {
  id: 'S6',
  title: 'Authenticated handshakes a second',
  takes: 29,
  cases: [{ name: '', shape: { conversations: 100, listenersEach: 10 } }],
  opponents: ['ours', 'ours-earlier', 'by-hand', 'socket-io'],
  quick: ['ours', 'by-hand', 'socket-io'],
  columns: ['rate', 'serverMicros', 'databaseMicros', 'loadMicros', 'serverCores'],
  bars: [
    { metric: 'rate', against: { opponent: 'by-hand' }, atLeast: 0.7, reached: 0.2 },
    { metric: 'rate', against: { opponent: 'socket-io' }, atLeast: 1.5, reached: 0.35 },
  ],

  async enter({ server }, shape) {
    return (await server.stage(shape)).conversations.flatMap(({ sockets }) => sockets);
  },

  async play({ server, load, watched }, sockets, { seconds, lead }) {
    const wants = { port: server.port, sockets, atOnce: AT_ONCE };
    if (lead > 0) await load.connects({ ...wants, seconds: lead, watched: {} });
    return figuresOf(await load.connects({ ...wants, seconds, watched }));
  },
};

import byHandBest from './by-hand-best.js';
import byHand from './by-hand.js';
import idiomatic from './idiomatic.js';
import ours from './ours.js';
import oursTwo from './ours-two.js';
import oursDoors from './ours-doors.js';
import oursHttp from './ours-http.js';
import { inboxes } from './ours-inbox.js';
import pgbench from './pgbench.js';
import socketIoRedis from './socket-io-redis.js';
import socketIo from './socket-io.js';
import { volatile } from './volatile.js';

const all = [
  ours,
  byHand,
  byHandBest,
  pgbench,
  socketIo,
  socketIoRedis,
  idiomatic,
  oursHttp,
  oursDoors,
  oursTwo,
  ...inboxes,
  ...volatile,
];

/**
 * Everybody who can be measured, by id. Each is
 *
 *     {id, name, durable, compiled?, absent() → why it is not there, or null, start(world) → server}
 *
 * `compiled` is one that has been, before it starts: it needs no time to get warm.
 *
 * and its server, a process of its own, is
 *
 *     {port, heardOn?, pid, runId, pids, stage(wants), load?, stop()}
 *
 * where `pids` are the processes whose processor counts as the server's, `heardOn` is the port that listeners
 * go to where that is another, `load` stands in for the load generator where
 * that cannot drive it, and `stage({conversations, listenersEach, inbox})` answers, as plain data, whom the load speaks
 * to: `{conversations: [{id, send, sockets}], inbox: [socket]}`, `send` as `load/requests.js` takes it, `socket` as
 * `load/listener.js` does.
 */
export const opponents = Object.fromEntries(all.map(one => [one.id, one]));

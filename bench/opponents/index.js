import byHandBest from './by-hand-best.js';
import byHand from './by-hand.js';
import { files } from './files.js';
import idiomatic from './idiomatic.js';
import ours from './ours.js';
import oursEarlier from './ours-earlier.js';
import oursTwo from './ours-two.js';
import oursCredentials from './ours-credentials.js';
import oursHttp from './ours-http.js';
import oursWebhooks from './ours-webhooks.js';
import { inboxes } from './ours-inbox.js';
import { searches } from './ours-search.js';
import { reports } from './ours-reports.js';
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
  oursCredentials,
  oursEarlier,
  oursTwo,
  oursWebhooks,
  ...inboxes,
  ...searches,
  ...reports,
  ...files,
  ...volatile,
];

/**
 * All opponents, by id. Each is
 *
 *     {id, name, durable, compiled?, absent() → why it is unavailable, or null, start(world) → server}
 *
 * `compiled` means compiled ahead of time: it needs no time to warm up. Its server, a separate process, is
 *
 *     {port, listenPort?, pid, runId, pids, stage(wants), load?, stop()}
 *
 * `pids` are the processes whose processor time counts as the server's. `listenPort` is the port for sockets, if it is
 * another one. `load` replaces the load generator if that cannot drive the server.
 * `stage({conversations, listenersEach, inbox})` returns, as plain data, the targets of the load:
 * `{conversations: [{id, send, sockets}], inbox: [socket]}`, with `send` for `load/requests.js` and `socket` for
 * `load/listener.js`.
 */
export const opponents = Object.fromEntries(all.map(one => [one.id, one]));

import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { HttpAdapter } from '../http/http.adapter.js';
import type { SocketConnection } from '../sockets/socket-connection.js';
import { SocketHub } from '../sockets/socket-hub.js';
import { DrainLog } from './drain-log.js';
import { Lifecycle } from './lifecycle.js';
import { trackShutdownHooks } from './shutdown-hooks.js';
import { closeSilentDatabase } from './silent-database.js';

const REQUESTS_MS = 10_000;

/**
 * A graceful stop. For `seconds` the instance is not ready any more, and whoever still comes is told so with 503: a
 * balancer that found a closed port instead would fail the requests that it sends before its next probe. Meanwhile the
 * sockets are closed with "connect again", spread out, so that their clients do not all come back at once. Then nobody
 * is let in, requests under way are finished, and everything else ends. The log names what is waited for.
 * Beside a database that does not answer nothing can be finished: its statements are given up within seconds.
 * @param hurry cuts the seconds short, not the requests
 */
export async function drain(app: INestApplication, seconds: number, hurry: AbortSignal): Promise<void> {
  const hub = app.get(SocketHub);
  const adapter = app.getHttpAdapter() as unknown as HttpAdapter;
  const jobs = trackShutdownHooks(app);
  let noticing = seconds > 0;
  const log = new DrainLog(() => ({
    waitingForBalancers: noticing,
    requests: adapter.requestsInFlight,
    sockets: hub.connections.size,
    jobs: [...jobs],
  }));
  const waited = pause(seconds * 1000, hurry);
  app.get(Lifecycle).drain();
  log.begin();
  await closeSockets([...hub.connections], seconds, hurry);
  await waited;
  noticing = false;
  log.report();
  const server = app.getHttpServer() as Server;
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  const over = new AbortController();
  void closeSilentDatabase(app, over.signal);
  await Promise.race([closed, delay(REQUESTS_MS, undefined, { ref: false })]);
  log.cutOff(adapter.requestsInFlight);
  await app.close();
  over.abort();
  log.end();
}

async function closeSockets(connections: SocketConnection[], seconds: number, hurry: AbortSignal): Promise<void> {
  const share = (seconds * 1000) / Math.max(1, connections.length);
  let owed = 0;
  for (const connection of connections) {
    connection.close('restart');
    owed += share;
    if (owed >= 20) {
      await pause(owed, hurry);
      owed = 0;
    }
  }
}

function pause(ms: number, hurry: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal: hurry }).catch(() => undefined);
}

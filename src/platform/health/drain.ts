import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { HttpAdapter } from '../http/http.adapter.js';
import type { SocketConnection } from '../sockets/socket-connection.js';
import { SocketHub } from '../sockets/socket-hub.js';
import { DrainLog } from './drain-log.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { trackShutdownHooks } from './shutdown-hooks.js';
import { closeSilentDatabase } from './silent-database.js';

/** Time limit for requests in flight. */
const REQUESTS_MS = 10_000;

/**
 * Stops the application gracefully. For `seconds` the instance is not ready and answers new requests with 503, because
 * a load balancer would fail requests to a closed port until its next probe. Meanwhile sockets are closed with "connect
 * again", spread over time so that clients do not all reconnect at once. Then the port is closed, requests in flight
 * are finished, and shutdown hooks run. The log shows the remaining work.
 *
 * When the database does not answer, statements are abandoned within seconds.
 * @param hurry ends the drain period early; requests are still finished
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
  app.get(LifecycleService).drain();
  log.begin();
  await closeSockets([...hub.connections], seconds, hurry);
  await waited;
  noticing = false;
  log.report();
  const server = app.getHttpServer() as Server;
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  const finished = new AbortController();
  void closeSilentDatabase(app, finished.signal);
  await Promise.race([closed, delay(REQUESTS_MS, undefined, { ref: false })]);
  log.cutOff(adapter.requestsInFlight);
  await app.close();
  finished.abort();
  log.end();
}

async function closeSockets(connections: SocketConnection[], seconds: number, hurry: AbortSignal): Promise<void> {
  const share = (seconds * 1000) / Math.max(1, connections.length);
  let delayMs = 0;
  for (const connection of connections) {
    connection.close('restart');
    delayMs += share;
    if (delayMs >= 20) {
      await pause(delayMs, hurry);
      delayMs = 0;
    }
  }
}

function pause(ms: number, hurry: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal: hurry }).catch(() => undefined);
}

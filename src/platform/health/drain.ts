import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { SocketConnection } from '../sockets/socket-connection.js';
import { SocketHub } from '../sockets/socket-hub.js';
import { Lifecycle } from './lifecycle.js';

const REQUESTS_MS = 10_000;

/**
 * A graceful stop. Not ready any more, and whoever still comes is told so with 503, as long as there are sockets to
 * close: those with "connect again", spread over `seconds`, so that their clients do not all come back at once. Then
 * nobody is let in, requests under way are finished, and everything else ends.
 */
export async function drain(app: INestApplication, seconds: number): Promise<void> {
  app.get(Lifecycle).drain();
  await closeSockets([...app.get(SocketHub).connections], seconds);
  const server = app.getHttpServer() as Server;
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  await Promise.race([closed, delay(REQUESTS_MS, undefined, { ref: false })]);
  await app.close();
}

async function closeSockets(connections: SocketConnection[], seconds: number): Promise<void> {
  const pause = (seconds * 1000) / Math.max(1, connections.length);
  let owed = 0;
  for (const connection of connections) {
    connection.close('restart');
    owed += pause;
    if (owed >= 20) {
      await delay(owed);
      owed = 0;
    }
  }
}

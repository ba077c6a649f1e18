import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { SocketHub } from '../sockets/socket-hub.js';
import { Lifecycle } from './lifecycle.js';

const REQUESTS_MS = 10_000;

/**
 * A graceful stop: not ready any more, sockets closed with "connect again" spread over `seconds`, so that their
 * clients do not all come back at once; requests under way finished, then everything else.
 */
export async function drain(app: INestApplication, seconds: number): Promise<void> {
  app.get(Lifecycle).drain();
  const hub = app.get(SocketHub);
  const server = app.getHttpServer() as Server;
  const closed = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  const connections = [...hub.connections];
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
  await Promise.race([closed, delay(REQUESTS_MS, undefined, { ref: false })]);
  await app.close();
}

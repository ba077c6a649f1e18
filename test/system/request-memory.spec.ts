import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '../../src/modules/api-keys/api-key.js';
import { eventually } from '../support/eventually.js';
import { someEmail } from '../support/invites.js';
import { race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const REQUESTS = 100;
/** Objects that the last request of each connection and the pool's connections may still reference. */
const LEFT_OVER = 10;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let world: World;
let desk: Desk;
let seen: WeakRef<object>[] = [];
let sockets: Set<Socket>;
beforeAll(async () => {
  world = await World.start();
  sockets = new Set();
  world.app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  world.app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    seen.push(new WeakRef(request), new WeakRef(response));
  });
  desk = await world.desk();
});
afterAll(() => world.stop());

/** Number of requests and responses still reachable after their connections closed. */
async function stillReachable(): Promise<number> {
  world.app.server.closeIdleConnections();
  await eventually(() => sockets.size === 0 || undefined);
  let alive = Infinity;
  for (let round = 0; round < 20 && alive > LEFT_OVER; round += 1) {
    await new Promise(resolve => setImmediate(resolve));
    collectGarbage();
    alive = seen.filter(ref => ref.deref() !== undefined).length;
  }
  return alive;
}

/** Sends the requests in groups of 20. */
async function send(request: (index: number) => Promise<unknown>): Promise<void> {
  seen = [];
  for (let sent = 0; sent < REQUESTS; sent += 20) await race(20, index => request(sent + index));
}

describe('Completed requests', () => {
  const cases: [string, () => Promise<unknown>][] = [
    [
      'Password reset requests for many e-mail addresses',
      () => world.anyone.post('/v1/auth/password/forgot', { email: someEmail() }),
    ],
    [
      'Sessions requested with many unknown widget tokens',
      () => world.anyone.post('/v1/widget/session', { widget_token: `wt_${unique('unknown')}` }),
    ],
    ['Requests with many unknown API keys', () => world.as(newApiKey()).get('/v1/workspace')],
    [
      'Logins with many unknown e-mail addresses',
      () => world.anyone.post('/v1/auth/login', { email: someEmail(), password: 'not the right password' }),
    ],
    ['Conversations of many visitors', async () => world.conversation(await world.visitor(desk))],
    ['Requests of one agent', () => desk.owner.api.post('/v1/contacts', { name: unique('Contact') })],
  ];

  it.each(cases)('%s are garbage-collected with their responses.', async (_case, request) => {
    await send(request);
    expect(seen.length).toBeGreaterThanOrEqual(2 * REQUESTS);
    expect(await stillReachable()).toBeLessThanOrEqual(LEFT_OVER);
  });
});

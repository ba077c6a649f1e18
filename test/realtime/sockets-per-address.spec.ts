import { once } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { WebSocket } from 'ws';
import { VARIABLES } from '../../src/config/env.js';
import { Authenticator } from '../../src/platform/access/authenticator.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import type { UpgradeAnswer } from '../support/upgrade.js';
import { upgrade } from '../support/upgrade.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const LIMIT = 5;

let world: World;
let desk: Desk;
async function startWorld(env: Record<string, string> = {}): Promise<void> {
  world = await World.start({ SOCKETS_PER_ADDRESS: String(LIMIT), ...env });
  desk = await world.desk();
}
afterEach(async () => {
  jest.restoreAllMocks();
  await world.stop();
});

const url = (query: Record<string, string> = {}) =>
  `${world.app.wsUrl}/ws/agent?${new URLSearchParams({ token: desk.owner.token, ...query }).toString()}`;
const openFrom = (address: string) => upgrade(url(), { headers: { 'X-Forwarded-For': address } });
const statuses = async (answers: Promise<UpgradeAnswer>[]) => (await Promise.all(answers)).map(({ status }) => status);

/** Opens as many sockets from the address as the limit allows. */
async function openToLimit(address: string): Promise<UpgradeAnswer[]> {
  const answers = await Promise.all(Array.from({ length: LIMIT }, () => openFrom(address)));
  expect(answers.map(({ status }) => status)).toEqual(Array(LIMIT).fill(101));
  return answers;
}

describe('The limit of sockets per address', () => {
  it('An address with SOCKETS_PER_ADDRESS open sockets gets 429 with Retry-After until one closes', async () => {
    await startWorld();
    const visitor = await world.visitor(desk);
    const agents = await Promise.all(Array.from({ length: 3 }, () => world.agentSocket(desk.owner)));
    const visitors = await Promise.all(Array.from({ length: 2 }, () => world.visitorSocket(visitor)));
    const { status, headers, body } = await upgrade(url());
    expect([status, body.ok, body.error?.code]).toEqual([429, false, 'rate_limited']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers['x-request-id']).toBe(body.request_id);
    await agents[0]?.close();
    const next = await eventually(async () => {
      const answer = await upgrade(url());
      return answer.status === 101 ? answer : undefined;
    });
    expect((await upgrade(url())).status).toBe(429);
    next.socket?.destroy();
    for (const socket of [...agents, ...visitors]) socket.ws.terminate();
  });

  it('A socket counts against its address from the start of its handshake until that is refused or aborted', async () => {
    await startWorld();
    const authenticator = world.app.app.get(Authenticator);
    const original = authenticator.authenticate.bind(authenticator);
    let go = () => {};
    const released = new Promise<void>(resolve => (go = resolve));
    const spy = jest.spyOn(authenticator, 'authenticate').mockImplementation(async (...args) => {
      await released;
      return original(...args);
    });
    const bad = `${world.app.wsUrl}/ws/agent?token=nonsense`;
    const pending = [...Array.from({ length: 3 }, () => upgrade(bad)), upgrade(url())];
    const aborted = new WebSocket(url());
    aborted.on('error', () => undefined);
    await eventually(() => (spy.mock.calls.length === LIMIT ? true : undefined));
    expect((await upgrade(url())).status).toBe(429);
    aborted.terminate();
    go();
    expect(await statuses(pending)).toEqual([401, 401, 401, 101]);
    spy.mockRestore();
    const answers = await eventually(async () => {
      const opened = await Promise.all(Array.from({ length: LIMIT - 1 }, () => upgrade(url())));
      if (opened.every(({ status }) => status === 101)) return opened;
      for (const { socket } of opened) socket?.destroy();
      return undefined;
    }, 10_000);
    expect((await upgrade(url())).status).toBe(429);
    for (const { socket } of [...answers, ...(await Promise.all(pending))]) socket?.destroy();
  });

  it('With `reject=close`, a socket past the limit of its address closes with 4008', async () => {
    await startWorld();
    const sockets = await Promise.all(Array.from({ length: LIMIT }, () => world.agentSocket(desk.owner)));
    const browser = new WebSocket(url({ reject: 'close' }));
    const [code] = (await once(browser, 'close')) as [number];
    expect(code).toBe(4008);
    for (const socket of sockets) socket.ws.terminate();
  });

  it('Without a trusted proxy, sockets count by the peer’s address, whatever X-Forwarded-For says', async () => {
    await startWorld();
    const open = await openToLimit('203.0.113.1');
    expect((await openFrom('203.0.113.2')).status).toBe(429);
    for (const { socket } of open) socket?.destroy();
  });

  it('Behind a trusted proxy, sockets count by the forwarded address; an IPv6 /64 counts as one', async () => {
    await startWorld({ TRUST_PROXY: '1' });
    const open = [...(await openToLimit('203.0.113.1')), ...(await openToLimit('2001:db8:1:2::1'))];
    expect(await statuses([openFrom('203.0.113.1'), openFrom('::ffff:203.0.113.1')])).toEqual([429, 429]);
    expect(
      await statuses([openFrom('2001:db8:1:2:ffff::9'), openFrom('2001:db8:1:3::1'), openFrom('203.0.113.2')]),
    ).toEqual([429, 101, 101]);
    for (const { socket } of open) socket?.destroy();
    const { connections } = world.app.app.get(SocketHub);
    for (const { socket } of connections) socket.terminate();
  });

  it('With RATE_LIMITS=off, sockets per address are unlimited', async () => {
    await startWorld({ RATE_LIMITS: 'off' });
    const open = await Promise.all(Array.from({ length: 3 * LIMIT }, () => openFrom('203.0.113.1')));
    expect(open.map(({ status }) => status)).toEqual(Array(3 * LIMIT).fill(101));
    for (const { socket } of open) socket?.destroy();
  });

  it('SOCKETS_PER_ADDRESS is 1,000 by default', async () => {
    await startWorld();
    expect(VARIABLES.SOCKETS_PER_ADDRESS.fallback).toBe('1000');
  });
});

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
async function begin(env: Record<string, string> = {}): Promise<void> {
  world = await World.start({ SOCKETS_PER_ADDRESS: String(LIMIT), ...env });
  desk = await world.desk();
}
afterEach(async () => {
  jest.restoreAllMocks();
  await world.stop();
});

const url = (query: Record<string, string> = {}) =>
  `${world.app.wsUrl}/ws/agent?${new URLSearchParams({ token: desk.owner.token, ...query }).toString()}`;
const from = (address: string) => upgrade(url(), { headers: { 'X-Forwarded-For': address } });
const statuses = async (answers: Promise<UpgradeAnswer>[]) => (await Promise.all(answers)).map(({ status }) => status);

/** As many as the limit allows, from this address. */
async function fill(address: string): Promise<UpgradeAnswer[]> {
  const answers = await Promise.all(Array.from({ length: LIMIT }, () => from(address)));
  expect(answers.map(({ status }) => status)).toEqual(Array(LIMIT).fill(101));
  return answers;
}

describe('the sockets of one address', () => {
  it('are as many as SOCKETS_PER_ADDRESS says; one more is 429 with Retry-After and the envelope, until one has closed', async () => {
    await begin();
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

  it('count from the moment that a handshake begins, and no longer once it is refused or cut off', async () => {
    await begin();
    const authenticator = world.app.app.get(Authenticator);
    const original = authenticator.authenticate.bind(authenticator);
    let go = () => {};
    const held = new Promise<void>(resolve => (go = resolve));
    const spy = jest.spyOn(authenticator, 'authenticate').mockImplementation(async (...asked) => {
      await held;
      return original(...asked);
    });
    const bad = `${world.app.wsUrl}/ws/agent?token=nonsense`;
    const underWay = [...Array.from({ length: 3 }, () => upgrade(bad)), upgrade(url())];
    const cut = new WebSocket(url());
    cut.on('error', () => undefined);
    await eventually(() => (spy.mock.calls.length === LIMIT ? true : undefined));
    expect((await upgrade(url())).status).toBe(429);
    cut.terminate();
    go();
    expect(await statuses(underWay)).toEqual([401, 401, 401, 101]);
    spy.mockRestore();
    const answers = await eventually(async () => {
      const opened = await Promise.all(Array.from({ length: LIMIT - 1 }, () => upgrade(url())));
      if (opened.every(({ status }) => status === 101)) return opened;
      for (const { socket } of opened) socket?.destroy();
      return undefined;
    }, 10_000);
    expect((await upgrade(url())).status).toBe(429);
    for (const { socket } of [...answers, ...(await Promise.all(underWay))]) socket?.destroy();
  });

  it('are refused with close code 4008 where a page asks for `reject=close`', async () => {
    await begin();
    const sockets = await Promise.all(Array.from({ length: LIMIT }, () => world.agentSocket(desk.owner)));
    const browser = new WebSocket(url({ reject: 'close' }));
    const [code] = (await once(browser, 'close')) as [number];
    expect(code).toBe(4008);
    for (const socket of sockets) socket.ws.terminate();
  });

  it('are counted by the peer’s address when no proxy is trusted, whatever X-Forwarded-For says', async () => {
    await begin();
    const open = await fill('203.0.113.1');
    expect((await from('203.0.113.2')).status).toBe(429);
    for (const { socket } of open) socket?.destroy();
  });

  it('are counted by the address that a trusted proxy names; an IPv6 network of 64 bits is one address', async () => {
    await begin({ TRUST_PROXY: '1' });
    const open = [...(await fill('203.0.113.1')), ...(await fill('2001:db8:1:2::1'))];
    expect(await statuses([from('203.0.113.1'), from('::ffff:203.0.113.1')])).toEqual([429, 429]);
    expect(await statuses([from('2001:db8:1:2:ffff::9'), from('2001:db8:1:3::1'), from('203.0.113.2')])).toEqual([
      429, 101, 101,
    ]);
    for (const { socket } of open) socket?.destroy();
    const { connections } = world.app.app.get(SocketHub);
    for (const { socket } of connections) socket.terminate();
  });

  it('are unlimited with RATE_LIMITS=off', async () => {
    await begin({ RATE_LIMITS: 'off' });
    const open = await Promise.all(Array.from({ length: 3 * LIMIT }, () => from('203.0.113.1')));
    expect(open.map(({ status }) => status)).toEqual(Array(3 * LIMIT).fill(101));
    for (const { socket } of open) socket?.destroy();
  });

  it('are 1,000 unless the environment says otherwise', async () => {
    await begin();
    expect(VARIABLES.SOCKETS_PER_ADDRESS.fallback).toBe('1000');
  });
});

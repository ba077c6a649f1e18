import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../../src/config/config.js';
import { parseRateLimits } from '../../src/config/rate-limits.js';
import { FrameLimitsPolicy } from '../../src/platform/sockets/frame-limits.policy.js';
import type { TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const RATES = 'register=1000/60,widget_session=1000/60,handshake=1000/60';
/** The documented burst of 64 KiB with a refill too slow to matter in a test. */
const NO_REFILL = `${RATES},frame_bytes=65536/86400`;
const KIB = 1024;

let world: World;
let desk: Desk;
let visitor: Visitor;

function withRates(rates: string): void {
  beforeAll(async () => {
    world = await World.start({ RATE_LIMITS: rates });
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    desk = await world.desk();
    visitor = await world.visitor(desk);
  });
}

/** A valid frame of exactly this many bytes. */
function heartbeat(bytes: number): string {
  const frame = { type: 'presence.heartbeat', pad: '' };
  return JSON.stringify({ ...frame, pad: 'x'.repeat(bytes - JSON.stringify(frame).length) });
}

/** A valid frame of a known type with this many unknown keys. */
function frameWithKeys(keys: number): object {
  const fields = Array.from({ length: keys }, (_nothing, index): [string, number] => [`k${index}`, index]);
  return { type: 'presence.heartbeat', ...Object.fromEntries(fields) };
}

const openSockets = (count: number): Promise<TestSocket[]> =>
  Promise.all(Array.from({ length: count }, () => world.visitorSocket(visitor)));

describe('The byte limit of a principal’s frames', () => {
  withRates(NO_REFILL);

  it('A principal may send a burst of 64 KiB over all its sockets; the socket that exceeds it closes with 4008', async () => {
    const sockets = await openSockets(20);
    for (const socket of sockets.slice(0, 15)) {
      socket.send(heartbeat(4 * KIB));
      await socket.settled();
    }
    const [greedy, modest] = sockets.slice(18) as [TestSocket, TestSocket];
    greedy.send(heartbeat(8 * KIB));
    expect((await greedy.end()).code).toBe(4008);
    await modest.settled();
    expect(sockets.filter(({ closed }) => closed !== null)).toEqual([greedy]);
    for (const socket of sockets) socket.ws.terminate();
  });

  it('Reconnecting does not renew a principal’s byte limit', async () => {
    const [first] = (await openSockets(1)) as [TestSocket];
    first.send(heartbeat(60 * KIB));
    await first.settled();
    await first.close();
    const [second] = (await openSockets(1)) as [TestSocket];
    second.send(heartbeat(8 * KIB));
    expect((await second.end()).code).toBe(4008);
  });

  it('The bytes of one principal do not count against another', async () => {
    const [socket] = (await openSockets(1)) as [TestSocket];
    socket.send(heartbeat(60 * KIB));
    await socket.settled();
    const other = await world.visitorSocket(await world.visitor(desk));
    other.send(heartbeat(60 * KIB));
    await other.settled();
    expect([socket.closed, other.closed]).toEqual([null, null]);
    for (const each of [socket, other]) each.ws.terminate();
  });
});

describe('A frame with more than 50 values', () => {
  withRates(`${RATES},frame_bytes=1000000/1`);

  it('A frame with more than 50 values is answered with frame_too_many_values; the tenth closes the socket with 4501', async () => {
    const [socket] = (await openSockets(1)) as [TestSocket];
    socket.send(frameWithKeys(49));
    await socket.settled();
    expect(socket.of('error')).toEqual([]);
    for (let index = 0; index < 10; index += 1) socket.send(frameWithKeys(index === 0 ? 50 : 5_000));
    expect((await socket.end()).code).toBe(4501);
    expect(socket.of('error').map(({ error }) => error?.code)).toEqual(Array(10).fill('frame_too_many_values'));
  });
});

describe('RATE_LIMITS=off', () => {
  withRates('off');

  it('With RATE_LIMITS=off, a socket may send 200 frames and 1 MiB at once', async () => {
    const [socket] = (await openSockets(1)) as [TestSocket];
    for (let index = 0; index < 200; index += 1) {
      socket.send(heartbeat(5 * KIB));
      if (index % 20 === 0) await socket.settled();
    }
    await socket.settled();
    expect(socket.closed).toBeNull();
    socket.ws.terminate();
  });
});

describe('FrameLimitsPolicy', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const limitsOf = (rates: string) => new FrameLimitsPolicy({ rateLimits: parseRateLimits(rates) } as Config);

  it('FrameLimitsPolicy allows 8 KiB and 20 frames a second after the burst', () => {
    const limits = limitsOf('');
    expect(limits.takeBytes('contact:1', 64 * KIB)).toBe(true);
    expect(limits.takeBytes('contact:1', 1)).toBe(false);
    jest.advanceTimersByTime(1_000);
    expect(limits.takeBytes('contact:1', 8 * KIB)).toBe(true);
    expect(limits.takeBytes('contact:1', 1)).toBe(false);
    const frames = limits.socketBucket();
    expect(Array.from({ length: 41 }, () => frames?.take())).toEqual([...Array<boolean>(40).fill(true), false]);
    jest.advanceTimersByTime(1_000);
    expect(Array.from({ length: 21 }, () => frames?.take())).toEqual([...Array<boolean>(20).fill(true), false]);
  });

  it('FrameLimitsPolicy takes its limits from RATE_LIMITS', () => {
    const limits = limitsOf('frames=2/1,frame_bytes=100/1');
    expect([limits.takeBytes('contact:1', 100), limits.takeBytes('contact:1', 1)]).toEqual([true, false]);
    const frames = limits.socketBucket();
    expect([frames?.take(), frames?.take(), frames?.take()]).toEqual([true, true, false]);
  });

  it('FrameLimitsPolicy forgets principals whose byte budget has refilled', () => {
    const limits = limitsOf('');
    for (let index = 0; index < 1_000; index += 1) limits.takeBytes(`contact:${index}`, 100);
    expect(limits.trackedPrincipals).toBe(1_000);
    jest.advanceTimersByTime(8_000);
    limits.takeBytes('contact:other', 100);
    expect(limits.trackedPrincipals).toBe(1);
  });
});

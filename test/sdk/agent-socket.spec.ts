import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { AgentClient, type AgentSocket } from '../../clients/sdk/src/index.js';
import { FakeService } from './fake-service.js';

let service: FakeService;
let socket: AgentSocket;

beforeEach(async () => {
  service = await FakeService.start();
  const agent = new AgentClient({ baseUrl: service.baseUrl });
  agent.restore({ token: 't1', refresh_token: 'r1' });
  socket = agent.live({ random: () => 0 });
});
afterEach(async () => {
  socket.close();
  await service.stop();
});

const heard = async (wire: WebSocket) => {
  const [data] = (await once(wire, 'message')) as [Buffer];
  return JSON.parse(data.toString()) as unknown;
};
/** What each connection is told first. */
const told: Promise<unknown>[] = [];
const listen = () => {
  told.length = 0;
  service.entered = wire => void told.push(heard(wire));
};
const viewing = (conversation_id: string | null) => ({ type: 'viewing', conversation_id });

describe('what an agent has before it', () => {
  it('is said at once, and again after a reconnect', async () => {
    listen();
    await socket.open();
    expect(socket.viewing('c1')).toBe(true);
    expect(await told[0]).toEqual(viewing('c1'));
    const again = socket.waitFor('connected');
    (await service.socket()).terminate();
    await again;
    expect(await told[1]).toEqual(viewing('c1'));
  });

  it('is said with the first connection where there was none yet', async () => {
    listen();
    expect(socket.viewing('c1')).toBe(false);
    await socket.open();
    expect(await told[0]).toEqual(viewing('c1'));
  });

  it('is not said again once it is nothing', async () => {
    listen();
    await socket.open();
    socket.viewing('c1');
    await told[0];
    const wire = await service.socket();
    const last = heard(wire);
    expect(socket.viewing(null)).toBe(true);
    expect(await last).toEqual(viewing(null));
    const again = socket.waitFor('connected');
    wire.terminate();
    await again;
    socket.heartbeat();
    expect(await told[1]).toEqual({ type: 'presence.heartbeat' });
  });
});

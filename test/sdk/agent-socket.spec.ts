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

const nextFrame = async (wire: WebSocket) => {
  const [data] = (await once(wire, 'message')) as [Buffer];
  return JSON.parse(data.toString()) as unknown;
};
/** The first frame of each connection. */
const firstFrames: Promise<unknown>[] = [];
const recordFirstFrames = () => {
  firstFrames.length = 0;
  service.onSocket = wire => void firstFrames.push(nextFrame(wire));
};
const viewing = (conversation_id: string | null) => ({ type: 'viewing', conversation_id });

describe('The conversation an agent is viewing', () => {
  it('The agent socket sends the viewed conversation at once and again after a reconnect', async () => {
    recordFirstFrames();
    await socket.open();
    expect(socket.viewing('c1')).toBe(true);
    expect(await firstFrames[0]).toEqual(viewing('c1'));
    const again = socket.waitFor('connected');
    (await service.nextSocket()).terminate();
    await again;
    expect(await firstFrames[1]).toEqual(viewing('c1'));
  });

  it('The agent socket sends a conversation viewed before it was open with its first connection', async () => {
    recordFirstFrames();
    expect(socket.viewing('c1')).toBe(false);
    await socket.open();
    expect(await firstFrames[0]).toEqual(viewing('c1'));
  });

  it('The agent socket sends nothing after a reconnect once the viewed conversation was cleared', async () => {
    recordFirstFrames();
    await socket.open();
    socket.viewing('c1');
    await firstFrames[0];
    const wire = await service.nextSocket();
    const last = nextFrame(wire);
    expect(socket.viewing(null)).toBe(true);
    expect(await last).toEqual(viewing(null));
    const again = socket.waitFor('connected');
    wire.terminate();
    await again;
    socket.heartbeat();
    expect(await firstFrames[1]).toEqual({ type: 'presence.heartbeat' });
  });
});

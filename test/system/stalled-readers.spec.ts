import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/config/config.js';
import { ReplayBudgetService } from '../../src/modules/realtime/replay-budget.service.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

const STALL_MS = 2_000;
const MIB = 1024 * 1024;

let world: World;
beforeAll(async () => (world = await World.start({ WS_STALL_MS: String(STALL_MS) })));
afterAll(() => world.stop());

let shared: Promise<Backlog> | undefined;
/** A workspace with three agents and 7 MB of missed messages, shared by the tests. */
const largeBacklog = () => (shared ??= createBacklog(110, 3));

const budget = () => world.app.app.get(ReplayBudgetService);
const connections = () => [...world.app.app.get(SocketHub).connections];

interface Backlog {
  desk: Desk;
  agents: Agent[];
  after: string;
}

/** Creates a workspace in which `messages` messages of 60 KB each were sent after the cursor. */
async function createBacklog(messages: number, colleagues = 1): Promise<Backlog> {
  const desk = await world.desk();
  const agents: Agent[] = [];
  for (let count = 0; count < colleagues; count += 1) agents.push(await world.colleague(desk));
  const [agent] = agents as [Agent];
  const { id } = await world.conversation(await world.visitor(desk));
  const first = await world.agentSocket(agent);
  const after = first.frames[0]?.data.cursor as string;
  await first.close();
  const content = '漢'.repeat(20_000);
  const path = `/v1/conversations/${id}/messages`;
  // Not all at once, and again after a timeout of a slow machine.
  const sends = Array.from({ length: 10 }, async (_nothing, lane) => {
    for (let message = lane; message < messages; message += 10) {
      const body = { content, client_message_id: `${id} ${message}` };
      await eventually(async () => [200, 201].includes((await agent.api.post(path, body)).status) || undefined);
    }
  });
  await Promise.all(sends);
  return { desk, agents, after };
}

/** Opens a socket that resumes and stops reading before the first frame. */
async function openStalled({ after }: Backlog, { token }: Agent): Promise<WebSocket> {
  const query = new URLSearchParams({ token, after }).toString();
  const socket = new WebSocket(`${world.app.wsUrl}/ws/agent?${query}`, { perMessageDeflate: false });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.pause();
  return socket;
}

describe('Resuming sockets that do not read', () => {
  it('A resuming socket that reads nothing is closed with 4002 soon after WS_STALL_MS, although it sends pings', async () => {
    const desk = await largeBacklog();
    const socket = await openStalled(desk, desk.agents[0]!);
    const pinging = setInterval(() => socket.send('{"type":"ping"}'), 200);
    const connection = connections().at(-1)!;
    const opened = performance.now();
    await eventually(() => (connection.closedAt === null ? undefined : true), 15_000);
    expect(performance.now() - opened).toBeGreaterThan(STALL_MS * 0.9);
    clearInterval(pinging);
    const ended = once(socket, 'close') as Promise<[number]>;
    socket.resume();
    expect([4002, 1006]).toContain((await ended)[0]);
    await eventually(() => (budget().total === 0 ? true : undefined));
  });

  it('A resuming socket that reads slowly but steadily receives everything it has missed', async () => {
    const desk = await largeBacklog();
    const socket = await openStalled(desk, desk.agents[0]!);
    const types: string[] = [];
    socket.on('message', data => types.push((JSON.parse(String(data)) as { type: string }).type));
    const opened = performance.now();
    // About 1 MiB a second: each pause is shorter than the limit, all together are longer.
    const { _socket: wire } = socket as unknown as { _socket: { pause(): void; resume(): void; bytesRead: number } };
    while (!types.includes('resumed')) {
      const before = wire.bytesRead;
      socket.resume();
      while (wire.bytesRead - before < MIB && !types.includes('resumed')) await delay(1);
      socket.pause();
      await delay(900);
    }
    expect(performance.now() - opened).toBeGreaterThan(STALL_MS);
    expect(types.filter(type => type === 'message.created').length).toBeGreaterThanOrEqual(110);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });

  it('Resuming sockets of one workspace that read nothing use at most 8 pages, and another workspace can resume', async () => {
    const flood = await largeBacklog();
    const other = await createBacklog(110);
    await eventually(() => connections().length === 0 || undefined);
    const sockets: WebSocket[] = [];
    for (let index = 0; index < 24; index += 1) sockets.push(await openStalled(flood, flood.agents[index % 3]!));
    let pages = 0;
    let waiting = 0;
    const watching = setInterval(() => {
      pages = Math.max(pages, budget().total);
      const bytes = connections().map(({ socket }) => socket.bufferedAmount);
      waiting = Math.max(
        waiting,
        bytes.reduce((sum, count) => sum + count, 0),
      );
    }, 5);
    expect(connections().length).toBe(24);
    const back = await world.agentSocket(other.agents[0]!, { after: other.after });
    await back.next('resumed', () => true, 20_000);
    expect(back.of('message.created').length).toBeGreaterThanOrEqual(110);
    await eventually(() => (budget().total === 0 ? true : undefined), 30_000);
    clearInterval(watching);
    // Eight pages of the workspace that does not read, one of the other.
    expect(pages).toBeGreaterThan(1);
    expect(pages).toBeLessThanOrEqual(9);
    expect(waiting).toBeLessThan((9 * 0.4 + 24 * 0.15) * MIB);
    for (const socket of sockets) socket.terminate();
    await back.close();
  });

  it('A resuming socket that gets no page in time receives sync.required (`busy`) and goes on live', async () => {
    const desk = await createBacklog(10);
    const { workspaceId } = desk.desk;
    while (budget().tryAcquire(workspaceId));
    const taken = budget().total;
    const late = await world.agentSocket(desk.agents[0]!, { after: desk.after });
    expect((await late.next('sync.required', () => true, 20_000)).data).toEqual({ reason: 'busy' });
    expect(late.frames[0]?.type).toBe('connected');
    await late.settled();
    for (let count = 0; count < taken; count += 1) budget().release(workspaceId);
    const again = await world.agentSocket(desk.agents[0]!, { after: desk.after });
    await again.next('resumed');
    await again.close();
    await late.close();
  });

  it('A page that becomes free goes to the workspace that has the fewest', async () => {
    const pages = new ReplayBudgetService(loadConfig({ NODE_ENV: 'test' }));
    while (pages.tryAcquire('greedy'));
    expect(pages.total).toBe(8);
    for (const workspace of ['a', 'b', 'c']) while (pages.tryAcquire(workspace));
    expect(pages.total).toBe(32);
    const served: string[] = [];
    const waits = ['a', 'a', 'new', 'b'].map(async workspace => {
      if (await pages.acquire(workspace)) served.push(workspace);
    });
    for (let count = 0; count < 4; count += 1) pages.release('greedy');
    await Promise.all(waits.slice(2, 3));
    expect(served).toEqual(['new']);
    pages.release('a');
    await waits[0];
    expect(served).toEqual(['new', 'a']);
    pages.release('b');
    pages.release('a');
    await Promise.all(waits);
    expect(pages.total).toBe(32 - 7 + 4);
  });
});

describe('Live sockets that do not read', () => {
  it('A live socket with more than 1 MiB buffered is closed when it reads nothing for WS_STALL_MS; one with less stays', async () => {
    const desk = await world.desk();
    const sockets = [];
    for (let count = 0; count < 2; count += 1) {
      const agent = await world.colleague(desk);
      sockets.push(await openStalled({ desk, agents: [agent], after: '' }, agent));
    }
    const [little, much] = connections().slice(-2) as [
      ReturnType<typeof connections>[0],
      ReturnType<typeof connections>[0],
    ];
    const fillBuffer = (connection: typeof little, bytes: number): void => {
      // Bytes in the kernel's socket buffer do not count.
      while (connection.socket.bufferedAmount < bytes) {
        connection.socket.send('x'.repeat(60_000));
      }
    };
    for (const connection of [little, much])
      while (connection.socket.bufferedAmount === 0) {
        connection.socket.send('x'.repeat(60_000));
        await new Promise(resolve => setImmediate(resolve));
      }
    fillBuffer(little, 0.5 * MIB);
    fillBuffer(much, 1.5 * MIB);
    await eventually(() => (much.closedAt === null ? undefined : true), 15_000);
    await delay(STALL_MS);
    expect(little.closedAt).toBeNull();
    for (const socket of sockets) socket.terminate();
  });
});

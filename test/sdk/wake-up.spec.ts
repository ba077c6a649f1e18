import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { AgentClient, type AgentLiveOptions, type AgentSocket, type ClosedEvent } from '../../clients/sdk/src/index.js';
import { FakePage } from './fake-page.js';
import { FakeService } from './fake-service.js';

const HOUR = 3_600_000;

let service: FakeService;
let agent: AgentClient;
let page: FakePage | undefined;
const open: AgentSocket[] = [];

beforeEach(async () => {
  service = await FakeService.start();
  agent = new AgentClient({ baseUrl: service.baseUrl, WebSocket });
  agent.restore({ token: 't1', refresh_token: 'r1' });
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.close();
  page?.remove();
  page = undefined;
  await service.stop();
});

/** Opens a socket that would wait an hour before it reconnects. */
async function connect(options: AgentLiveOptions = {}): Promise<AgentSocket> {
  const socket = agent.live({ random: () => 1, backoff: { baseMs: HOUR, capMs: HOUR }, ...options });
  open.push(socket);
  await socket.open();
  return socket;
}

const closed = (socket: AgentSocket) => new Promise<ClosedEvent>(resolve => socket.on('closed', resolve));

/** Closes the next accepted connection, and waits until the socket has noticed. */
async function cutOff(socket: AgentSocket, code = 1011): Promise<void> {
  const end = closed(socket);
  (await service.nextSocket()).close(code);
  await end;
}

describe('A wake-up of a socket', () => {
  it('A woken socket that gets no pong reconnects within seconds, and resumes at its cursor', async () => {
    const socket = await connect();
    const event = socket.waitFor('message.created');
    (await service.nextSocket()).send(JSON.stringify({ type: 'message.created', id: 'e1', cursor: 'c1', data: {} }));
    await event;
    const end = closed(socket);
    const again = socket.waitFor('connected', undefined, 60_000);
    socket.wake();
    await again;
    expect(await end).toMatchObject({ code: 4001, willReconnect: true, waitMs: 0 });
    expect(service.handshakes[1]!.get('after')).toBe('c1');
  });

  it('A woken socket that waits for its next attempt connects at once', async () => {
    const socket = await connect();
    await cutOff(socket);
    expect(socket.state).toBe('waiting');
    const again = socket.waitFor('connected');
    socket.wake();
    await again;
  });

  it('A woken socket keeps the wait that the service has asked for', async () => {
    const limited = await connect();
    await cutOff(limited, 4008);
    const other = await connect();
    await cutOff(other);
    const again = other.waitFor('connected');
    for (const socket of [limited, other]) socket.wake();
    await again;
    expect([limited.state, other.state]).toEqual(['waiting', 'connected']);
  });

  it('A woken socket gives up a connection attempt that is older than its patience', async () => {
    const socket = agent.live();
    open.push(socket);
    service.upgradeReply = () => (service.handshakes.length === 1 ? 'hang' : undefined);
    const opened = socket.open();
    let attempts = 0;
    socket.on('closed', () => (attempts += 1));
    // Wakes it as often as a page might: only the one after four seconds counts.
    const waking = setInterval(() => socket.wake(), 50);
    await opened;
    clearInterval(waking);
    expect([attempts, service.handshakes.length]).toEqual([1, 2]);
  });

  it('A closed socket does not connect at a wake-up', async () => {
    const socket = await connect();
    socket.close();
    socket.wake();
    expect(socket.state).toBe('closed');
  });
});

describe('A socket in a page', () => {
  it.each([
    ['is shown again', (shown: FakePage) => shown.show()],
    ['is online again', (shown: FakePage) => shown.dispatch('online')],
    ['leaves the back-forward cache', (shown: FakePage) => shown.dispatch('pageshow', { persisted: true })],
    ['is no longer frozen', (shown: FakePage) => shown.dispatch('resume')],
  ])('A waiting socket connects at once when its page %s', async (_what, wake) => {
    page = new FakePage();
    const socket = await connect();
    await cutOff(socket);
    const again = socket.waitFor('connected');
    wake(page);
    await again;
  });

  it('A waiting socket keeps waiting when its page is hidden, or is loaded for the first time', async () => {
    page = new FakePage();
    const socket = await connect();
    await cutOff(socket);
    page.hide();
    page.dispatch('pageshow', { persisted: false });
    const other = await connect();
    expect([socket.state, other.state]).toEqual(['waiting', 'connected']);
  });

  it('A socket removes its listeners from the page when it has ended, by either side', async () => {
    page = new FakePage();
    const [mine, theirs] = [await connect(), await connect()];
    expect(page.listenerCount).toBeGreaterThan(0);
    await service.nextSocket();
    await cutOff(theirs, 4502);
    mine.close();
    expect(page.listenerCount).toBe(0);
  });
});

import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WebSocket } from 'ws';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/config.js';
import type { DomainError } from '../../src/kernel/domain-error.js';
import { ConversationsService } from '../../src/modules/conversations/index.js';
import type { SerializedFrame } from '../../src/kernel/serialized-frame.js';
import { HandshakeQueue } from '../../src/platform/sockets/handshake-queue.js';
import type { SocketConnection } from '../../src/platform/sockets/socket-connection.js';
import { toFrame } from '../../src/platform/sockets/socket-connection.js';
import { ConnectionAuthorizer } from '../../src/platform/sockets/connection-authorizer.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import { frameBytes, OPCODE, RawSocket } from '../support/raw-socket.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { upgrade } from '../support/upgrade.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;

async function startWorld(env: Record<string, string> = {}): Promise<void> {
  world = await World.start(env);
  desk = await world.desk();
}

let defaultWorld: World | undefined;
/** Uses a service with the default settings, shared by all tests that need no other. */
async function useDefaults(): Promise<void> {
  world = defaultWorld ??= await World.start();
  desk = await world.desk();
}
afterAll(() => defaultWorld?.stop());

const hub = () => world.app.app.get(SocketHub);
const agentUrl = (query: Record<string, string> = {}) =>
  `${world.app.wsUrl}/ws/agent?${new URLSearchParams({ token: desk.owner.token, ...query }).toString()}`;

/** The connection of the socket that was opened last. */
function newestConnection(): SocketConnection {
  const connection = [...hub().connections].at(-1);
  if (!connection) throw new Error('no connection');
  return connection;
}

async function untilClosed(connection: SocketConnection, ms = 5_000): Promise<void> {
  await eventually(() => (hub().connections.has(connection) ? undefined : true), ms);
}

/** Waits until the operating system has taken no byte of the socket's buffer for half a second. */
async function untilStalled({ socket }: SocketConnection): Promise<void> {
  let [buffered, since] = [0, 0];
  await eventually(() => {
    const { bufferedAmount } = socket;
    if (bufferedAmount !== buffered || bufferedAmount === 0) [buffered, since] = [bufferedAmount, performance.now()];
    return performance.now() - since > 500 ? true : undefined;
  }, 20_000);
}

/** An agent with a conversation; `sendMessages` sends messages of the maximum size, 60 kB on the wire. */
async function agentWithConversation(): Promise<{
  agent: Agent;
  id: string;
  sendMessages: (count: number) => Promise<void>;
}> {
  const agent = await world.colleague(desk);
  const { id } = await world.conversation(await world.visitor(desk));
  const content = '漢'.repeat(20_000);
  const sendMessages = async (count: number) => {
    const path = `/v1/conversations/${id}/messages`;
    const sent = await Promise.all(Array.from({ length: count }, () => agent.api.post(path, { content })));
    expect(sent.map(({ status }) => status)).toEqual(Array(count).fill(201));
  };
  return { agent, id, sendMessages };
}

describe('Keepalive', () => {
  it('The configuration requires WS_PONG_WAIT_MS to be more than WS_PING_INTERVAL_MS', () => {
    const faulty = () => loadConfig({ NODE_ENV: 'test', WS_PING_INTERVAL_MS: '5000', WS_PONG_WAIT_MS: '5000' });
    expect(faulty).toThrow(/WS_PONG_WAIT_MS must be more than WS_PING_INTERVAL_MS/);
  });

  it('Sockets opened together are pinged at different times', async () => {
    await useDefaults();
    const opened = performance.now();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => world.agentSocket(desk.owner)));
    const pingTimes = await eventually(() => {
      const due = [...hub().connections].map(({ pingAt }) => pingAt);
      return due.every(at => at !== null) && due.length === 20 ? due : undefined;
    });
    const spread = Math.max(...pingTimes) - Math.min(...pingTimes);
    // The pings are spread over 25 s; the time that opening the sockets took does not count.
    expect(spread - (performance.now() - opened)).toBeGreaterThan(5_000);
    for (const socket of sockets) socket.ws.terminate();
  });

  it('A socket is pinged repeatedly, once per interval', async () => {
    await startWorld({ WS_PING_INTERVAL_MS: '400' });
    const socket = await world.agentSocket(desk.owner);
    const pings: number[] = [];
    socket.ws.on('ping', () => pings.push(performance.now()));
    await eventually(() => (pings.length === 5 ? true : undefined), 20_000);
    expect((pings[4] ?? 0) - (pings[0] ?? 0)).toBeGreaterThan(1_200);
    await world.stop();
  });

  describe('Keepalive with 600 ms to answer', () => {
    beforeAll(() => startWorld({ WS_PING_INTERVAL_MS: '50', WS_PONG_WAIT_MS: '600' }));
    afterAll(() => world.stop());

    it('No socket is closed for the time in which the service itself was blocked', async () => {
      const sockets = [await world.agentSocket(desk.owner), await world.agentSocket(desk.owner)];
      // Blocks the event loop, as a suspended machine or a stopped process does.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      for (const socket of sockets) await socket.settled();
      expect(sockets.map(({ closed }) => closed)).toEqual([null, null]);
    });

    it('A half-open connection is ended although the client does not answer the close', async () => {
      const proxy = await TcpProxy.start(world.app.url);
      const ws = new WebSocket(proxy.rewriteUrl(agentUrl()));
      ws.on('error', () => undefined);
      await once(ws, 'message');
      const connection = newestConnection();
      proxy.swallow();
      await untilClosed(connection, 10_000);
      ws.terminate();
      await proxy.stop();
    });
  });
});

describe('A client that reads too slowly', () => {
  beforeAll(useDefaults);

  it('A client that never reads buffers at most 4 MiB and is cut off although it never closes', async () => {
    const stalled = await Promise.all(
      Array.from({ length: 5 }, () => RawSocket.open(world.app.wsUrl, `/ws/agent?token=${desk.owner.token}`)),
    );
    const connections = [...hub().connections].slice(-5);
    const [room = ''] = connections[0]?.topics ?? [];
    for (const { socket } of stalled) socket.pause();
    let maxBuffered = 0;
    while (connections.some(({ closedAt }) => closedAt === null)) {
      hub().broadcast([room], JSON.stringify({ type: 'ever more', pad: 'x'.repeat(60_000) }) as SerializedFrame);
      maxBuffered = Math.max(maxBuffered, ...connections.map(({ socket }) => socket.bufferedAmount));
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(maxBuffered).toBeGreaterThan(4 * 1024 * 1024);
    expect(maxBuffered).toBeLessThan(4.2 * 1024 * 1024);
    for (const connection of connections) await untilClosed(connection, 10_000);
    for (const raw of stalled) raw.destroy();
  });

  describe('A slow client that resumes', () => {
    let sender: Awaited<ReturnType<typeof agentWithConversation>>;
    let after: string;
    /** Sends messages of 60 kB each. */
    const sendMessages = async (messages: number) => {
      for (let batch = 0; batch < messages; batch += 5) await sender.sendMessages(5);
    };
    beforeAll(async () => {
      sender = await agentWithConversation();
      const first = await world.agentSocket(sender.agent);
      after = first.frames[0]?.data.cursor as string;
      await first.close();
      await sendMessages(125);
    });

    it('A resuming client receives all missed events, even more than 4 MiB', async () => {
      const back = await world.agentSocket(sender.agent, { after });
      const { data } = await back.next('resumed', () => true, 20_000);
      expect(back.of('message.created').length).toBeGreaterThanOrEqual(125);
      expect(data.count).toBe(back.frames.filter(({ id }) => id).length);
      await back.settled();
      await back.close();
    });

    it('A slow resuming client also receives, in order, messages sent during the resume', async () => {
      const slow = new WebSocket(agentUrl({ token: sender.agent.token, after }));
      const frames: { type: string; conversation_id?: string; data: { message?: { seq: number } } }[] = [];
      slow.on('message', data => frames.push(JSON.parse(String(data)) as (typeof frames)[0]));
      slow.once('open', () => slow.pause());
      await once(slow, 'open');
      const connection = newestConnection();
      await untilStalled(connection);
      await sendMessages(10);
      expect(connection.closedAt).toBeNull();
      // The buffer has one page of missed events, and no event that was sent during the resume.
      expect(connection.socket.bufferedAmount).toBeLessThan(400 * 1024);
      slow.resume();
      const seqs = () =>
        frames.flatMap(({ type, conversation_id, data }) =>
          type === 'message.created' && conversation_id === sender.id ? (data.message?.seq ?? 0) : [],
        );
      await eventually(() => (seqs().at(-1) === 136 ? true : undefined), 20_000);
      const [first = 0] = seqs();
      expect(first).toBeLessThanOrEqual(2);
      expect(seqs()).toEqual(Array.from({ length: 137 - first }, (_nothing, index) => index + first));
      expect(frames.findIndex(({ type }) => type === 'resumed')).toBeGreaterThan(125);
      slow.terminate();
    });

    it('A client that has missed more than 8 MiB receives sync.required with reason too_many', async () => {
      await sendMessages(15);
      const late = await world.agentSocket(sender.agent, { after });
      expect((await late.next('sync.required', () => true, 20_000)).data.reason).toBe('too_many');
      await late.settled();
    });
  });
});

describe('Excessive input', () => {
  beforeAll(useDefaults);

  const openRaw = () => RawSocket.open(world.app.wsUrl, new URL(agentUrl()).pathname + new URL(agentUrl()).search);

  it('A frame that announces too many bytes closes its socket with 1009 at once; a client that does not close is cut off', async () => {
    const announced = frameBytes({ opcode: OPCODE.text, payload: '', claims: 1n << 30n });
    const socket = await openRaw();
    socket.write(announced);
    await socket.until(() => socket.closeCode !== null, 'a close');
    expect(socket.closeCode).toBe(1009);
    const unresponsive = await openRaw();
    const connection = newestConnection();
    unresponsive.socket.pause();
    unresponsive.write(announced);
    await untilClosed(connection, 10_000);
    unresponsive.destroy();
  });

  it('A message in more than a thousand fragments closes its socket with 1008', async () => {
    const socket = await openRaw();
    const piece = { opcode: OPCODE.continuation, payload: 'x', fin: false };
    socket.write({ ...piece, opcode: OPCODE.text }, ...Array.from({ length: 1_500 }, () => piece));
    await socket.until(() => socket.closeCode !== null, 'a close');
    expect(socket.closeCode).toBe(1008);
    socket.destroy();
  });

  it('Frames behind a hanging handler do not accumulate: past the burst the socket closes with 4008', async () => {
    const { id } = await world.conversation(await world.visitor(desk));
    const socket = await world.agentSocket(desk.owner);
    const conversations = world.app.app.get(ConversationsService);
    let go = () => {};
    const hang = new Promise<null>(resolve => (go = () => resolve(null)));
    conversations.findScope = () => hang;
    try {
      const typing = { type: 'typing', conversation_id: id };
      const sending = setInterval(() => socket.send(typing), 60);
      for (let index = 0; index < 30; index += 1) socket.send(typing);
      expect((await socket.end(10_000)).code).toBe(4008);
      clearInterval(sending);
    } finally {
      Reflect.deleteProperty(conversations, 'findScope');
      go();
    }
  });
});

describe('Outgoing frames', () => {
  beforeAll(useDefaults);

  it('An event is serialised once for agents and once for the visitor, however many sockets receive it', async () => {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const agent = await world.colleague(desk);
    const sockets = await Promise.all([
      ...Array.from({ length: 6 }, () => world.agentSocket(agent)),
      ...Array.from({ length: 4 }, () => world.agentSocket(agent, { room: id })),
      ...Array.from({ length: 4 }, () => world.visitorSocket(visitor)),
      ...Array.from({ length: 4 }, () => world.visitorSocket(visitor, { conv: id })),
    ]);
    const serialise = jest.spyOn(JSON, 'stringify');
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Received by eighteen.' });
    for (const socket of sockets) await socket.next('message.created');
    const frames = serialise.mock.calls.filter(([value]) => {
      const { type, cursor } = (value ?? {}) as { type?: string; cursor?: string };
      return type === 'message.created' && cursor !== undefined;
    });
    serialise.mockRestore();
    expect(frames.length).toBe(2);
  });

  it('Frames of any length arrive whole and in order, even between pings and when many are sent at once', async () => {
    const ws = new WebSocket(agentUrl());
    const received: string[] = [];
    let pings = 0;
    ws.on('ping', () => (pings += 1));
    await once(ws, 'message');
    ws.on('message', (data, binary) => received.push(binary ? 'binary' : String(data)));
    const connection = newestConnection();
    const lengths = [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 65_537, 300_000];
    const sent = [
      ...lengths.map(length => 'x'.repeat(length)),
      'ünïcödé 漢字 🎉',
      '漢'.repeat(42),
      '漢'.repeat(30_000),
    ];
    const sendAll = () => {
      for (const text of sent) {
        connection.send(text as SerializedFrame);
        connection.socket.ping();
      }
    };
    sendAll();
    await connection.replay(['replayed' as SerializedFrame]);
    sendAll();
    const all = [...sent, 'replayed', ...sent];
    await eventually(() => (received.length === all.length ? true : undefined));
    expect(received).toEqual(all);
    expect(pings).toBe(sent.length * 2);
    expect(ws.readyState).toBe(ws.OPEN);
    expect(connection.socket.bufferedAmount).toBe(0);
    ws.terminate();
  });

  it('Sockets that get the same frames and some of their own at once each get theirs in order', async () => {
    const clients: { ws: WebSocket; received: string[]; connection: SocketConnection }[] = [];
    for (let count = 0; count < 3; count += 1) {
      const ws = new WebSocket(agentUrl());
      await once(ws, 'message');
      const received: string[] = [];
      ws.on('message', data => /^(own|shared) /.test(String(data)) && received.push(String(data)));
      clients.push({ ws, received, connection: newestConnection() });
    }
    const expected = clients.map((): string[] => []);
    for (let round = 0; round < 300; round += 1) {
      const shared = toFrame(`shared ${round}` as SerializedFrame);
      for (const [index, { connection }] of clients.entries()) {
        if ((round + index) % 3 === 0) {
          connection.send(`own ${index} ${round}` as SerializedFrame);
          expected[index]?.push(`own ${index} ${round}`);
        }
        if ((round + index) % 5 === 0) continue;
        connection.send(shared);
        expected[index]?.push(`shared ${round}`);
      }
      if (round % 40 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    for (const { connection } of clients) connection.close('restart');
    await Promise.all(clients.map(({ ws }) => once(ws, 'close')));
    expect(clients.map(({ received }) => received)).toEqual(expected);
  });
});

describe('Compression', () => {
  const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' };

  it('Compression is off by default, even for clients that offer it', async () => {
    await useDefaults();
    const { headers, socket } = await upgrade(agentUrl(), { headers: offer });
    expect(headers['sec-websocket-extensions']).toBeUndefined();
    socket?.destroy();
  });

  it('With WS_COMPRESSION=on, frames to clients that offer it are compressed without context takeover', async () => {
    await startWorld({ WS_COMPRESSION: 'on' });
    const plain = await upgrade(agentUrl());
    expect(plain.headers['sec-websocket-extensions']).toBeUndefined();
    plain.socket?.destroy();
    const { headers, socket } = await upgrade(agentUrl(), { headers: offer });
    const agreed = String(headers['sec-websocket-extensions']).split('; ');
    expect(agreed[0]).toBe('permessage-deflate');
    expect(agreed).toEqual(expect.arrayContaining(['server_no_context_takeover', 'client_no_context_takeover']));
    socket?.destroy();

    const { agent, id } = await agentWithConversation();
    const room = await world.agentSocket(agent, { room: id });
    const first = room.frames[0]?.data.cursor as string;
    const bytes = () =>
      (newestConnection().socket as unknown as { _socket: { bytesWritten: number } })._socket.bytesWritten;
    const before = bytes();
    const path = `/v1/conversations/${id}/messages`;
    const long = 'all work and no play '.repeat(900);
    for (const content of [long, 'short', long, 'short']) await agent.api.post(path, { content });
    await room.next('message.created', ({ data }) => data.message.seq === 5);
    expect(room.of('message.created').map(({ data }) => data.message.seq)).toEqual([2, 3, 4, 5]);
    expect(room.of('message.created')[2]?.data.message.content).toBe(long);
    expect(bytes() - before).toBeLessThan(long.length);
    const back = await world.agentSocket(agent, { room: id, after: first });
    expect((await back.next('resumed')).data.count).toBe(back.frames.filter(({ id: durable }) => durable).length);
    for (const one of [room, back]) await one.settled();
    // The limit of 64 KiB applies to the uncompressed size.
    back.send(JSON.stringify({ type: 'ping', pad: ' '.repeat(1_000_000) }));
    expect((await back.end()).code).toBe(1009);
    await world.stop();
  });
});

describe('Many simultaneous handshakes', () => {
  afterEach(() => world.stop());

  it('At most WS_HANDSHAKES_AT_ONCE handshakes run at a time, and all of them succeed and resume', async () => {
    await startWorld({ WS_HANDSHAKES_AT_ONCE: '3' });
    const authorizer = world.app.app.get(ConnectionAuthorizer);
    let [running, maxRunning] = [0, 0];
    const counted = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        running += 1;
        maxRunning = Math.max(maxRunning, running);
        // Simulates a slow database.
        await new Promise(resolve => setTimeout(resolve, 5));
        return work(...args).finally(() => (running -= 1));
      };
    };
    authorizer.admit = counted(authorizer.admit.bind(authorizer));
    authorizer.onOpen = counted(authorizer.onOpen.bind(authorizer));
    const { cursor } = (await world.agentSocket(desk.owner)).frames[0]?.data ?? {};
    const agents = [desk.owner, await world.colleague(desk), await world.colleague(desk)];
    // six turns, which end within the 5 s that a handshake may wait, also on a slow machine
    const sockets = await Promise.all(
      agents.flatMap(agent => Array.from({ length: 6 }, () => world.agentSocket(agent, { after: cursor as string }))),
    );
    for (const socket of sockets) await socket.next('resumed');
    expect(maxRunning).toBe(3);
  });

  it('Refused and aborted handshakes free their slot in the queue', async () => {
    await startWorld({ WS_HANDSHAKES_AT_ONCE: '1' });
    const refused = Array.from({ length: 20 }, () => world.socket('agent', { token: 'garbage' }).catch(() => null));
    const aborted = Array.from({ length: 20 }, () => {
      const ws = new WebSocket(agentUrl());
      ws.on('error', () => undefined);
      setTimeout(() => ws.terminate(), 2);
      return ws;
    });
    await (await world.agentSocket(desk.owner)).settled();
    expect(await Promise.all(refused)).toEqual(Array(20).fill(null));
    for (const ws of aborted) ws.terminate();
    await eventually(() => (hub().connections.size === 1 ? true : undefined));
  });
});

describe('HandshakeQueue', () => {
  afterEach(() => void jest.useRealTimers());

  const queueOf = (atOnce: number) => new HandshakeQueue({ socketHandshakesAtOnce: atOnce } as Config);
  const refusal = (handshake: Promise<unknown>) =>
    handshake.then(
      () => null,
      (error: DomainError) => error,
    );

  it('Handshakes beyond 5,000 waiting ones are refused as unavailable, with Retry-After spread over 1 to 5 s', async () => {
    const queue = queueOf(1);
    const ended: (() => void)[] = [];
    const work = () => new Promise<void>(resolve => ended.push(resolve));
    const waiting = Array.from({ length: 5_001 }, () => queue.run(work));
    const refused = await Promise.all(Array.from({ length: 60 }, () => refusal(queue.run(work))));
    expect(new Set(refused.map(error => error?.kind))).toEqual(new Set(['unavailable']));
    const seconds = refused.map(error => error?.retryAfter ?? 0);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(5);
    expect(new Set(seconds).size).toBeGreaterThan(2);
    for (let index = 0; index < waiting.length; index += 1) {
      ended[index]?.();
      await waiting[index];
    }
    await queue.run(() => Promise.resolve());
  });

  it('Handshakes that wait for 5 s are refused as unavailable, and their slots are free again', async () => {
    jest.useFakeTimers();
    const queue = queueOf(1);
    let end = () => {};
    const hung = queue.run(() => new Promise<void>(resolve => (end = resolve)));
    const late = Array.from({ length: 10 }, () => refusal(queue.run(() => Promise.resolve())));
    await jest.advanceTimersByTimeAsync(5_000);
    expect((await Promise.all(late)).map(error => error?.kind)).toEqual(Array(10).fill('unavailable'));
    const next = queue.run(() => Promise.resolve('in'));
    end();
    await hung;
    expect(await next).toBe('in');
  });

  /** Queues `count` handshakes. @returns indexes of the admitted ones, in order; `end` completes handshakes by index */
  const queueHandshakes = (queue: HandshakeQueue, count: number) => {
    const admitted: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: count }, (_nothing, index) =>
      queue.run(() => {
        admitted.push(index);
        return new Promise<void>(resolve => (ends[index] = resolve));
      }),
    );
    return { admitted, all, end: (...indexes: number[]) => indexes.forEach(index => ends[index]?.()) };
  };
  /** Runs everything that needs no passage of time. */
  const settled = () => jest.advanceTimersByTimeAsync(0);

  it('Waiting handshakes are admitted as a batch once the previous batch is complete, so that their queries are batched', async () => {
    jest.useFakeTimers();
    const { admitted, all, end } = queueHandshakes(queueOf(3), 8);
    await settled();
    expect(admitted).toEqual([0, 1, 2]);
    end(0, 2);
    await settled();
    expect(admitted).toEqual([0, 1, 2]);
    end(1);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3, 4, 5]);
    end(3, 4, 5);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    end(6, 7);
    await Promise.all(all);
  });

  it('The next handshakes wait at most 100 ms for one that hangs, which keeps only its own slot', async () => {
    jest.useFakeTimers();
    const { admitted, all, end } = queueHandshakes(queueOf(3), 9);
    await settled();
    end(0, 1);
    await jest.advanceTimersByTimeAsync(99);
    expect(admitted).toEqual([0, 1, 2]);
    await jest.advanceTimersByTimeAsync(1);
    expect(admitted).toEqual([0, 1, 2, 3, 4]);
    end(3, 4);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3, 4, 5, 6]);
    end(2, 5, 6);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    end(7, 8);
    await Promise.all(all);
  });

  it('When a whole batch hangs, the next handshake is admitted as soon as one completes', async () => {
    jest.useFakeTimers();
    const { admitted, all, end } = queueHandshakes(queueOf(2), 5);
    await jest.advanceTimersByTimeAsync(1_000);
    end(0);
    await jest.advanceTimersByTimeAsync(100);
    end(2);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3]);
    end(1, 3);
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3, 4]);
    end(4);
    await Promise.all(all);
  });

  it('Handshakes run in order of arrival, even after one that fails', async () => {
    const queue = queueOf(2);
    const done: number[] = [];
    const all = Array.from({ length: 10 }, (_nothing, index) =>
      refusal(
        queue.run(async () => {
          await new Promise(resolve => setImmediate(resolve));
          done.push(index);
          if (index % 3 === 0) throw new Error('refused');
        }),
      ),
    );
    await Promise.all(all);
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

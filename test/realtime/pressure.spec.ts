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

async function begin(env: Record<string, string> = {}): Promise<void> {
  world = await World.start(env);
  desk = await world.desk();
}

let standard: World | undefined;
/** As it is without a word in the environment; one world for all who want that. */
async function published(): Promise<void> {
  world = standard ??= await World.start();
  desk = await world.desk();
}
afterAll(() => standard?.stop());

const hub = () => world.app.app.get(SocketHub);
const agentUrl = (query: Record<string, string> = {}) =>
  `${world.app.wsUrl}/ws/agent?${new URLSearchParams({ token: desk.owner.token, ...query }).toString()}`;

/** The connection of the socket that was opened last. */
function newest(): SocketConnection {
  const connection = [...hub().connections].at(-1);
  if (!connection) throw new Error('no connection');
  return connection;
}

async function gone(connection: SocketConnection, ms = 5_000): Promise<void> {
  await eventually(() => (hub().connections.has(connection) ? undefined : true), ms);
}

/** A colleague with a conversation, in which it says what is as large as a message gets: 60 kB on the wire. */
async function talker(): Promise<{ agent: Agent; id: string; say: (times: number) => Promise<void> }> {
  const agent = await world.colleague(desk);
  const { id } = await world.conversation(await world.visitor(desk));
  const content = '漢'.repeat(20_000);
  const say = async (times: number) => {
    const path = `/v1/conversations/${id}/messages`;
    const sent = await Promise.all(Array.from({ length: times }, () => agent.api.post(path, { content })));
    expect(sent.map(({ status }) => status)).toEqual(Array(times).fill(201));
  };
  return { agent, id, say };
}

describe('keepalive', () => {
  it('wants more time for an answer than between two pings', () => {
    const faulty = () => loadConfig({ NODE_ENV: 'test', WS_PING_INTERVAL_MS: '5000', WS_PONG_WAIT_MS: '5000' });
    expect(faulty).toThrow(/WS_PONG_WAIT_MS must be more than WS_PING_INTERVAL_MS/);
  });

  it('does not ping at once those who came at once', async () => {
    await published();
    const opened = performance.now();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => world.agentSocket(desk.owner)));
    const places = await eventually(() => {
      const due = [...hub().connections].map(({ pingAt }) => pingAt);
      return due.every(at => at !== null) && due.length === 20 ? due : undefined;
    });
    const spread = Math.max(...places) - Math.min(...places);
    // of 25 s, and not what opening them took
    expect(spread - (performance.now() - opened)).toBeGreaterThan(5_000);
    for (const socket of sockets) socket.ws.terminate();
  });

  it('pings again and again, each after the interval', async () => {
    await begin({ WS_PING_INTERVAL_MS: '400' });
    const socket = await world.agentSocket(desk.owner);
    const pings: number[] = [];
    socket.ws.on('ping', () => pings.push(performance.now()));
    await eventually(() => (pings.length === 5 ? true : undefined), 20_000);
    expect((pings[4] ?? 0) - (pings[0] ?? 0)).toBeGreaterThan(1_200);
    await world.stop();
  });

  describe('with 600 ms to answer', () => {
    beforeAll(() => begin({ WS_PING_INTERVAL_MS: '50', WS_PONG_WAIT_MS: '600' }));
    afterAll(() => world.stop());

    it('does not blame clients for the time in which the service itself stood still', async () => {
      const sockets = [await world.agentSocket(desk.owner), await world.agentSocket(desk.owner)];
      // a machine that was asleep, a process that was stopped: nothing is read meanwhile, nothing is pinged
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      for (const socket of sockets) await socket.settled();
      expect(sockets.map(({ closed }) => closed)).toEqual([null, null]);
    });

    it('ends a connection of which only this half is left, although nobody answers the close', async () => {
      const proxy = await TcpProxy.start(world.app.url);
      const ws = new WebSocket(proxy.rewriteUrl(agentUrl()));
      ws.on('error', () => undefined);
      await once(ws, 'message');
      const connection = newest();
      proxy.swallow();
      await gone(connection, 10_000);
      ws.terminate();
      await proxy.stop();
    });
  });
});

describe('a client that reads too slowly', () => {
  beforeAll(published);

  it('and never reads at all costs 4 MiB at most, and is cut off soon, although it never closes', async () => {
    const stalled = await Promise.all(
      Array.from({ length: 5 }, () => RawSocket.open(world.app.wsUrl, `/ws/agent?token=${desk.owner.token}`)),
    );
    const connections = [...hub().connections].slice(-5);
    const [room = ''] = connections[0]?.topics ?? [];
    for (const { socket } of stalled) socket.pause();
    let most = 0;
    while (connections.some(({ closedAt }) => closedAt === null)) {
      hub().broadcast([room], JSON.stringify({ type: 'ever more', pad: 'x'.repeat(60_000) }) as SerializedFrame);
      most = Math.max(most, ...connections.map(({ socket }) => socket.bufferedAmount));
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(most).toBeGreaterThan(4 * 1024 * 1024);
    expect(most).toBeLessThan(4.2 * 1024 * 1024);
    for (const connection of connections) await gone(connection, 10_000);
    for (const raw of stalled) raw.destroy();
  });

  describe('of what it has missed', () => {
    let talk: Awaited<ReturnType<typeof talker>>;
    let after: string;
    /** 60 kB each. */
    const say = async (messages: number) => {
      for (let batch = 0; batch < messages; batch += 5) await talk.say(5);
    };
    beforeAll(async () => {
      talk = await talker();
      const first = await world.agentSocket(talk.agent);
      after = first.frames[0]?.data.cursor as string;
      await first.close();
      await say(125);
    }, 60_000);

    it('is told all, as fast as it reads, also when that is more than 4 MiB', async () => {
      const back = await world.agentSocket(talk.agent, { after });
      const { data } = await back.next('resumed', () => true, 20_000);
      expect(back.of('message.created').length).toBeGreaterThanOrEqual(125);
      expect(data.count).toBe(back.frames.filter(({ id }) => id).length);
      await back.settled();
      await back.close();
    });

    it('loses nothing that comes meanwhile either, and hears it in order', async () => {
      const slow = new WebSocket(agentUrl({ token: talk.agent.token, after }));
      const frames: { type: string; conversation_id?: string; data: { message?: { seq: number } } }[] = [];
      slow.on('message', data => frames.push(JSON.parse(String(data)) as (typeof frames)[0]));
      slow.once('open', () => slow.pause());
      await once(slow, 'open');
      const connection = newest();
      await eventually(() => (connection.socket.bufferedAmount >= 128 * 1024 ? true : undefined), 20_000);
      await say(10);
      expect(connection.closedAt).toBeNull();
      // a page of what was missed, and none of what came meanwhile
      expect(connection.socket.bufferedAmount).toBeLessThan(400 * 1024);
      slow.resume();
      const seqs = () =>
        frames.flatMap(({ type, conversation_id: of, data }) =>
          type === 'message.created' && of === talk.id ? (data.message?.seq ?? 0) : [],
        );
      await eventually(() => (seqs().at(-1) === 136 ? true : undefined), 20_000);
      const [first = 0] = seqs();
      expect(first).toBeLessThanOrEqual(2);
      expect(seqs()).toEqual(Array.from({ length: 137 - first }, (_nothing, index) => index + first));
      expect(frames.findIndex(({ type }) => type === 'resumed')).toBeGreaterThan(125);
      slow.terminate();
    });

    it('reads the present state instead when it is more than 8 MiB', async () => {
      await say(15);
      const late = await world.agentSocket(talk.agent, { after });
      expect((await late.next('sync.required', () => true, 20_000)).data.reason).toBe('too_many');
      await late.settled();
    });
  });
});

describe('what comes', () => {
  beforeAll(published);

  const open = () => RawSocket.open(world.app.wsUrl, new URL(agentUrl()).pathname + new URL(agentUrl()).search);

  it('is refused by its announced size, before any of it is there, and whoever does not close then is cut off', async () => {
    const announced = frameBytes({ opcode: OPCODE.text, payload: '', claims: 1n << 30n });
    const socket = await open();
    socket.write(announced);
    await socket.until(() => socket.closeCode !== null, 'a close');
    expect(socket.closeCode).toBe(1009);
    const deaf = await open();
    const connection = newest();
    deaf.socket.pause();
    deaf.write(announced);
    await gone(connection, 10_000);
    deaf.destroy();
  });

  it('is refused when it comes in very many pieces', async () => {
    const socket = await open();
    const piece = { opcode: OPCODE.continuation, payload: 'x', fin: false };
    socket.write({ ...piece, opcode: OPCODE.text }, ...Array.from({ length: 1_500 }, () => piece));
    await socket.until(() => socket.closeCode !== null, 'a close');
    expect(socket.closeCode).toBe(1008);
    socket.destroy();
  });

  it('does not pile up behind a handler that hangs: past a burst the socket closes with 4008', async () => {
    const { id } = await world.conversation(await world.visitor(desk));
    const socket = await world.agentSocket(desk.owner);
    const conversations = world.app.app.get(ConversationsService);
    let go = () => {};
    const hang = new Promise<null>(resolve => (go = () => resolve(null)));
    conversations.findScope = () => hang;
    try {
      const typing = { type: 'typing', conversation_id: id };
      const talking = setInterval(() => socket.send(typing), 60);
      for (let index = 0; index < 30; index += 1) socket.send(typing);
      expect((await socket.end(10_000)).code).toBe(4008);
      clearInterval(talking);
    } finally {
      Reflect.deleteProperty(conversations, 'place');
      go();
    }
  });
});

describe('what is said', () => {
  beforeAll(published);

  it('is serialised once for the agents and once for the visitor, however many listen', async () => {
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
    await visitor.api.post(`/v1/widget/conversations/${id}/messages`, { content: 'Heard by eighteen.' });
    for (const socket of sockets) await socket.next('message.created');
    const frames = serialise.mock.calls.filter(([value]) => {
      const { type, cursor } = (value ?? {}) as { type?: string; cursor?: string };
      return type === 'message.created' && cursor !== undefined;
    });
    serialise.mockRestore();
    expect(frames.length).toBe(2);
  });

  it('is whole and in order at any length, also between pings, and when much is said in one turn', async () => {
    const ws = new WebSocket(agentUrl());
    const heard: string[] = [];
    let pings = 0;
    ws.on('ping', () => (pings += 1));
    await once(ws, 'message');
    ws.on('message', (data, binary) => heard.push(binary ? 'binary' : String(data)));
    const connection = newest();
    const lengths = [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 65_537, 300_000];
    const said = [
      ...lengths.map(length => 'x'.repeat(length)),
      'ünïcödé 漢字 🎉',
      '漢'.repeat(42),
      '漢'.repeat(30_000),
    ];
    for (const text of said) {
      connection.send(text as SerializedFrame);
      connection.socket.ping();
      connection.socket.send('by ws');
    }
    await eventually(() => (heard.length === said.length * 2 ? true : undefined));
    expect(heard).toEqual(said.flatMap(text => [text, 'by ws']));
    expect(pings).toBe(said.length);
    expect(ws.readyState).toBe(ws.OPEN);
    expect(connection.socket.bufferedAmount).toBe(0);
    ws.terminate();
  });
});

describe('compression', () => {
  const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' };

  it('is off, also for clients that offer it', async () => {
    await published();
    const { headers, socket } = await upgrade(agentUrl(), { headers: offer });
    expect(headers['sec-websocket-extensions']).toBeUndefined();
    socket?.destroy();
  });

  it('with WS_COMPRESSION=on is for those who offer it, carries nothing over, and leaves short frames as they are', async () => {
    await begin({ WS_COMPRESSION: 'on' });
    const plain = await upgrade(agentUrl());
    expect(plain.headers['sec-websocket-extensions']).toBeUndefined();
    plain.socket?.destroy();
    const { headers, socket } = await upgrade(agentUrl(), { headers: offer });
    const agreed = String(headers['sec-websocket-extensions']).split('; ');
    expect(agreed[0]).toBe('permessage-deflate');
    expect(agreed).toEqual(expect.arrayContaining(['server_no_context_takeover', 'client_no_context_takeover']));
    socket?.destroy();

    const { agent, id } = await talker();
    const room = await world.agentSocket(agent, { room: id });
    const first = room.frames[0]?.data.cursor as string;
    const bytes = () => (newest().socket as unknown as { _socket: { bytesWritten: number } })._socket.bytesWritten;
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
    // 64 KiB are counted when it is unpacked
    back.send(JSON.stringify({ type: 'ping', pad: ' '.repeat(1_000_000) }));
    expect((await back.end()).code).toBe(1009);
    await world.stop();
  });
});

describe('many who come at once', () => {
  afterEach(() => world.stop());

  it('are let in a few at a time, with what they have missed, and all in the end', async () => {
    await begin({ WS_HANDSHAKES_AT_ONCE: '3' });
    const door = world.app.app.get(ConnectionAuthorizer);
    let [underWay, most] = [0, 0];
    const counted = <A extends unknown[], R>(work: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        underWay += 1;
        most = Math.max(most, underWay);
        // the database takes its time
        await new Promise(resolve => setTimeout(resolve, 5));
        return work(...args).finally(() => (underWay -= 1));
      };
    };
    door.admit = counted(door.admit.bind(door));
    door.onOpen = counted(door.onOpen.bind(door));
    const { cursor } = (await world.agentSocket(desk.owner)).frames[0]?.data ?? {};
    const agents = [desk.owner, await world.colleague(desk), await world.colleague(desk)];
    const sockets = await Promise.all(
      agents.flatMap(agent => Array.from({ length: 15 }, () => world.agentSocket(agent, { after: cursor as string }))),
    );
    for (const socket of sockets) await socket.next('resumed');
    expect(most).toBe(3);
  });

  it('do not hold a place for long that they have left, or that was refused', async () => {
    await begin({ WS_HANDSHAKES_AT_ONCE: '1' });
    const open = Array.from({ length: 20 }, () => world.socket('agent', { token: 'garbage' }).catch(() => null));
    const left = Array.from({ length: 20 }, () => {
      const ws = new WebSocket(agentUrl());
      ws.on('error', () => undefined);
      setTimeout(() => ws.terminate(), 2);
      return ws;
    });
    await (await world.agentSocket(desk.owner)).settled();
    expect(await Promise.all(open)).toEqual(Array(20).fill(null));
    for (const ws of left) ws.terminate();
    await eventually(() => (hub().connections.size === 1 ? true : undefined));
  });
});

describe('more handshakes than can wait', () => {
  afterEach(() => void jest.useRealTimers());

  const queueOf = (atOnce: number) => new HandshakeQueue({ socketHandshakesAtOnce: atOnce } as Config);
  const refusal = (one: Promise<unknown>) =>
    one.then(
      () => null,
      (error: DomainError) => error,
    );

  it('are sent away, each to come back at another time', async () => {
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

  it('are sent away when those before them take too long, and their places are free again', async () => {
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

  /** Handshakes that end when they are told to. @returns who has been let in, by arrival; `end` ends one of them */
  const crowd = (queue: HandshakeQueue, count: number) => {
    const inside: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: count }, (_nothing, index) =>
      queue.run(() => {
        inside.push(index);
        return new Promise<void>(resolve => (ends[index] = resolve));
      }),
    );
    return { inside, all, end: (...which: number[]) => which.forEach(index => ends[index]?.()) };
  };
  /** All that can go on without time has. */
  const settled = () => jest.advanceTimersByTimeAsync(0);

  it('are let in together once those before them are all through, and so ask together', async () => {
    jest.useFakeTimers();
    const { inside, all, end } = crowd(queueOf(3), 8);
    await settled();
    expect(inside).toEqual([0, 1, 2]);
    end(0, 2);
    await settled();
    expect(inside).toEqual([0, 1, 2]);
    end(1);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4, 5]);
    end(3, 4, 5);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    end(6, 7);
    await Promise.all(all);
  });

  it('wait no longer than a moment for one who hangs, whose place alone stays taken', async () => {
    jest.useFakeTimers();
    const { inside, all, end } = crowd(queueOf(3), 9);
    await settled();
    end(0, 1);
    await jest.advanceTimersByTimeAsync(99);
    expect(inside).toEqual([0, 1, 2]);
    await jest.advanceTimersByTimeAsync(1);
    expect(inside).toEqual([0, 1, 2, 3, 4]);
    end(3, 4);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4, 5, 6]);
    end(2, 5, 6);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    end(7, 8);
    await Promise.all(all);
  });

  it('find room though all of a group hang, as soon as one of them is through', async () => {
    jest.useFakeTimers();
    const { inside, all, end } = crowd(queueOf(2), 5);
    await jest.advanceTimersByTimeAsync(1_000);
    end(0);
    await jest.advanceTimersByTimeAsync(100);
    end(2);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3]);
    end(1, 3);
    await settled();
    expect(inside).toEqual([0, 1, 2, 3, 4]);
    end(4);
    await Promise.all(all);
  });

  it('in the order in which they came, also past one whose handshake fails', async () => {
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

import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import {
  AgentClient,
  VisitorClient,
  type AgentLiveOptions,
  type AgentSocket,
  type ClosedEvent,
  type WebSocketConstructor,
  type WebSocketLike,
} from '../../clients/sdk/src/index.js';
import { freePort } from '../support/free-port.js';
import { FakeService, ok, refuse } from './fake-service.js';

let service: FakeService;
let agent: AgentClient;
const open: AgentSocket[] = [];

beforeEach(async () => {
  service = await FakeService.start();
  agent = new AgentClient({ baseUrl: service.baseUrl });
  agent.restore({ token: 't1', refresh_token: 'r1' });
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.close();
  await service.stop();
});

/** Reconnects wait 0 ms unless a test sets `random`. */
const live = (options: AgentLiveOptions = {}) => {
  const socket = agent.live({ random: () => 0, ...options });
  open.push(socket);
  return socket;
};
const connect = async (options: AgentLiveOptions = {}) => {
  const socket = live(options);
  await socket.open();
  return socket;
};
const closed = (socket: AgentSocket) =>
  new Promise<ClosedEvent>(resolve => {
    const off = socket.on('closed', event => {
      off();
      resolve(event);
    });
  });
const message = (id: string, seq: number) => ({
  type: 'message.created',
  id,
  cursor: `c${seq}`,
  data: { message: { id: `m${seq}`, seq } },
});
const sendFrames = (socket: WebSocket, ...frames: object[]) => {
  for (const frame of frames) socket.send(JSON.stringify(frame));
};
const nextFrame = async (socket: WebSocket) => {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString()) as unknown;
};

describe('A live socket', () => {
  it('A live socket connects with its token and room, and emits frames by type and to `*`', async () => {
    const socket = live({ room: 'c7' });
    const all: string[] = [];
    const seqs: number[] = [];
    socket.on('*', ({ type }) => all.push(type));
    socket.on('message.created', ({ data }) => seqs.push(data.message.seq));
    await socket.open();
    const last = socket.waitFor('message.created', ({ data }) => data.message.seq === 2);
    sendFrames(await service.nextSocket(), message('e1', 1), { type: 'pong' }, message('e2', 2));
    await last;
    expect(Object.fromEntries(service.handshakes[0]!)).toEqual({ token: 't1', room: 'c7' });
    expect(all).toEqual(['connected', 'message.created', 'pong', 'message.created']);
    expect(seqs).toEqual([1, 2]);
  });

  it('A live socket opened with connect() also emits frames that come in one packet with `connected`', async () => {
    service.firstFrames = [{ type: 'connected', data: {} }, message('e1', 1)];
    const socket = await agent.connect();
    open.push(socket);
    await expect(socket.waitFor('message.created')).resolves.toMatchObject({ id: 'e1' });
  });

  it('A live socket emits a repeated event once', async () => {
    const socket = await connect();
    const ids: unknown[] = [];
    socket.on('message.created', ({ id }) => ids.push(id));
    const last = socket.waitFor('message.created', ({ id }) => id === 'e3');
    sendFrames(await service.nextSocket(), message('e1', 1), message('e2', 2), message('e1', 1), message('e3', 3));
    await last;
    expect(ids).toEqual(['e1', 'e2', 'e3']);
  });

  it('A live socket resumes after its cursor when it was cut off, and repeats no event', async () => {
    const socket = await connect();
    const ids: unknown[] = [];
    socket.on('message.created', ({ id }) => ids.push(id));
    const first = await service.nextSocket();
    const before = socket.waitFor('message.created');
    sendFrames(first, message('e1', 1));
    await before;
    const after = socket.waitFor('message.created');
    first.terminate();
    sendFrames(await service.nextSocket(), message('e1', 1), message('e2', 2));
    await after;
    expect(service.handshakes[1]!.get('after')).toBe('c1');
    expect(ids).toEqual(['e1', 'e2']);
  });

  it('A live socket advances its cursor only when a resume is complete', async () => {
    service.firstFrames = [{ type: 'connected', data: { cursor: 'c41' } }];
    const socket = await connect({ after: 'c41' });
    const wire = await service.nextSocket();
    const replayed = socket.waitFor('message.created');
    sendFrames(wire, { ...message('e50', 50), cursor: 'c41' });
    await replayed;
    expect(socket.cursor).toBe('c41');
    const resumed = socket.waitFor('resumed');
    sendFrames(wire, { type: 'resumed', data: { from: 'c41', to: 'c60', count: 1 } });
    await resumed;
    expect(socket.cursor).toBe('c60');
  });

  it('Live sockets answer token.expiring with a new token, from one refresh for all of them', async () => {
    service.on('POST /v1/auth/refresh', () => ok({ token: 't2', refresh_token: 'r2' }));
    await Promise.all([connect(), connect({ room: 'c1' })]);
    const wires = [await service.nextSocket(), await service.nextSocket()];
    const shown = Promise.all(wires.map(nextFrame));
    for (const wire of wires) sendFrames(wire, { type: 'token.expiring', data: { in_seconds: 60 } });
    expect(await shown).toEqual([
      { type: 'auth', token: 't2' },
      { type: 'auth', token: 't2' },
    ]);
    expect(service.requestsTo('POST /v1/auth/refresh')).toHaveLength(1);
  });

  it('A live socket whose refresh failed reconnects with a new token after close code 4003', async () => {
    const socket = await connect();
    const wire = await service.nextSocket();
    const refreshRequested = new Promise(resolve => {
      service.on('POST /v1/auth/refresh', () => {
        resolve(undefined);
        return 'cut';
      });
    });
    sendFrames(wire, { type: 'token.expiring', data: { in_seconds: 60 } });
    await refreshRequested;
    service.on('POST /v1/auth/refresh', () => ok({ token: 't2', refresh_token: 'r2' }));
    const back = socket.waitFor('connected');
    wire.close(4003, 'token expired');
    await back;
    expect(service.handshakes.map(query => query.get('token'))).toEqual(['t1', 't2']);
  });

  it('A live socket resumes from a cursor that was stored earlier', async () => {
    await connect({ after: 'c41' });
    expect(service.handshakes[0]!.get('after')).toBe('c41');
  });

  it('A live socket waits before each reconnect, with jitter and exponential backoff', async () => {
    const socket = await connect({ backoff: { baseMs: 40, capMs: 1_000 }, random: () => 0.5 });
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries++) {
      const end = closed(socket);
      (await service.nextSocket()).close(1011);
      waits.push((await end).waitMs);
    }
    expect(waits).toEqual([20, 40, 80, 160]);
  });

  it.each([1009, 4500, 4501, 4502, 4503, 4504])(
    'A live socket does not reconnect after close code %i, and reports the reason',
    async code => {
      const socket = await connect();
      const end = closed(socket);
      (await service.nextSocket()).close(code, 'because');
      expect(await end).toEqual({ code, reason: 'because', willReconnect: false, waitMs: 0, error: undefined });
      expect(socket.state).toBe('closed');
      await expect(socket.waitFor('pong')).rejects.toMatchObject({ code: 'socket_closed' });
    },
  );

  it('A live socket whose token has expired reconnects with a new one', async () => {
    service.on('POST /v1/auth/refresh', () => ok({ token: 't2', refresh_token: 'r2' }));
    const socket = await connect();
    const again = socket.waitFor('connected');
    (await service.nextSocket()).close(4003);
    await again;
    expect(service.handshakes.map(query => query.get('token'))).toEqual(['t1', 't2']);
  });

  it('A live socket whose handshake is refused for its token refreshes once, and stops at the next refusal', async () => {
    service.on('POST /v1/auth/refresh', () => ok({ token: 't2', refresh_token: 'r2' }));
    service.upgradeReply = query => (query.get('token') === 't2' ? undefined : refuse(401, 'token_expired'));
    await connect();
    service.upgradeReply = () => refuse(401, 'token_expired');
    await expect(connect()).rejects.toMatchObject({ status: 401, code: 'token_expired' });
  });

  it('A live socket tries a refresh again while the service is unavailable', async () => {
    let tries = 0;
    service.on('POST /v1/auth/refresh', () => (++tries < 3 ? 'cut' : ok({ token: 't2', refresh_token: 'r2' })));
    service.upgradeReply = query => (query.get('token') === 't2' ? undefined : refuse(401, 'token_expired'));
    await connect();
    expect(tries).toBe(3);
  });

  it('A live socket stops when its session has ended', async () => {
    service.upgradeReply = () => refuse(401, 'token_expired');
    service.on('POST /v1/auth/refresh', () => refuse(401, 'token_revoked'));
    await expect(connect()).rejects.toMatchObject({ status: 401, code: 'token_revoked' });
  });

  it('A live socket turns a refused handshake into the ApiError of the answer', async () => {
    service.upgradeReply = () => refuse(403, 'member_deactivated');
    await expect(agent.connect()).rejects.toMatchObject({
      status: 403,
      code: 'member_deactivated',
      requestId: 'fake-request',
    });
    expect(service.handshakes).toHaveLength(1);
  });

  it('A live socket reconnects while the service is unavailable; only connect() gives up after its timeout', async () => {
    service.upgradeReply = () => (service.handshakes.length < 3 ? refuse(503, 'unavailable') : undefined);
    await connect();
    service.upgradeReply = () => 'cut';
    await expect(agent.connect({ timeoutMs: 100, random: () => 0 })).rejects.toMatchObject({ code: 'network_error' });
  });

  it('A live socket that cannot be opened reports its address without the token, and the reason', async () => {
    const closedPort = `127.0.0.1:${await freePort()}`;
    const nobody = new AgentClient({ baseUrl: `http://${closedPort}` });
    nobody.restore({ token: 'secret-access', refresh_token: 'secret-refresh' });
    const error = await nobody.connect({ timeoutMs: 1_000, random: () => 0 }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: 'network_error',
      message: `The socket at ws://${closedPort}/ws/agent could not be opened: 1006 connect ECONNREFUSED ${closedPort}.`,
    });
  });

  it('A live socket reconnects when a handshake gets no answer in time', async () => {
    service.upgradeReply = () => (service.handshakes.length === 1 ? 'hang' : undefined);
    await connect({ timeoutMs: 100 });
    expect(service.handshakes).toHaveLength(2);
  });

  it('A live socket pings at the interval of the service, and reconnects once when no pong comes', async () => {
    service.firstFrames = [{ type: 'connected', data: { ping_interval_ms: 20, pong_wait_ms: 60 } }];
    const socket = await connect();
    const ends: ClosedEvent[] = [];
    socket.on('closed', event => ends.push(event));
    const peer = await service.nextSocket();
    expect(await nextFrame(peer)).toEqual({ type: 'ping' });
    service.firstFrames = [{ type: 'connected', data: {} }];
    const gone = once(peer, 'close');
    await socket.waitFor('connected');
    await gone;
    expect(ends).toMatchObject([{ code: 4001, willReconnect: true }]);
    expect(service.handshakes).toHaveLength(2);
  });

  it('A live socket calls a removed listener no more', async () => {
    const socket = await connect();
    const ids: unknown[] = [];
    const off = socket.on('message.created', ({ id }) => ids.push(id));
    const peer = await service.nextSocket();
    const first = socket.waitFor('message.created');
    sendFrames(peer, message('e1', 1));
    await first;
    off();
    const second = socket.waitFor('message.created');
    sendFrames(peer, message('e2', 2));
    await second;
    expect(ids).toEqual(['e1']);
  });

  it('A live socket sends typing and heartbeat frames, and returns false when it is closed', async () => {
    const socket = await connect();
    const peer = await service.nextSocket();
    const frames: unknown[] = [];
    for (const act of [
      () => socket.typing('c1'),
      () => socket.typing('c1', { private: true }),
      () => socket.stopTyping('c1'),
      () => socket.heartbeat(),
    ]) {
      const next = nextFrame(peer);
      expect(act()).toBe(true);
      frames.push(await next);
    }
    expect(frames).toEqual([
      { type: 'typing', conversation_id: 'c1' },
      { type: 'typing', conversation_id: 'c1', private: true },
      { type: 'typing.stop', conversation_id: 'c1' },
      { type: 'presence.heartbeat' },
    ]);
    socket.close();
    expect(socket.heartbeat()).toBe(false);
  });

  it('A live socket closed by the caller closes with 1000 and does not reconnect', async () => {
    const socket = await connect();
    const peer = await service.nextSocket();
    const end = closed(socket);
    socket.close();
    expect(await end).toMatchObject({ code: 1000, willReconnect: false });
    const [code] = (await once(peer, 'close')) as [number];
    expect(code).toBe(1000);
  });

  it('A visitor’s live socket connects with the visitor token and the conversation', async () => {
    service.on('POST /v1/widget/session', () => ok({ visitor_token: 'v1' }));
    const visitor = await VisitorClient.start({ baseUrl: service.baseUrl, widgetToken: 'wt_1' });
    const socket = await visitor.connect({ conversationId: 'c1' });
    expect(Object.fromEntries(service.handshakes[0]!)).toEqual({ token: 'v1', conv: 'c1' });
    socket.close();
  });
});

describe('Waiting for a frame', () => {
  it('`waitFor()` resolves with the first frame that matches', async () => {
    const socket = await connect();
    const third = socket.waitFor('message.created', ({ data }) => data.message.seq === 3);
    sendFrames(await service.nextSocket(), message('e1', 1), message('e3', 3), message('e4', 4));
    expect((await third).data.message.seq).toBe(3);
  });

  it('`waitFor()` rejects with `timeout` after its time', async () => {
    const socket = await connect();
    await expect(socket.waitFor('message.created', undefined, 20)).rejects.toMatchObject({
      status: 0,
      code: 'timeout',
      message: 'No message.created came within 20 ms.',
    });
  });

  it('`waitFor()` survives a reconnect, and rejects when the socket does not reconnect', async () => {
    const socket = await connect();
    const frame = socket.waitFor('message.created');
    (await service.nextSocket()).close(1011);
    const second = await service.nextSocket();
    sendFrames(second, message('e1', 1));
    await frame;
    const never = socket.waitFor('message.created');
    second.close(4502);
    await expect(never).rejects.toMatchObject({ code: 'socket_closed' });
  });

  it('`waitFor()` rejects with the error of its predicate', async () => {
    const socket = await connect();
    const wrong = socket.waitFor('message.created', () => {
      throw new Error('no such field');
    });
    sendFrames(await service.nextSocket(), message('e1', 1));
    await expect(wrong).rejects.toThrow('no such field');
  });
});

/** A WebSocket as in a browser: without `on`, and without the HTTP answer of a refused upgrade. */
class PageWebSocket implements WebSocketLike {
  onopen: WebSocketLike['onopen'] = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: WebSocketLike['onerror'] = null;
  private readonly socket: WebSocket;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.onmessage = ({ data }) => this.onmessage?.({ data });
    this.socket.onclose = ({ code, reason }) => this.onclose?.({ code, reason });
    this.socket.onerror = () => undefined;
  }
  get readyState(): number {
    return this.socket.readyState;
  }
  send(text: string): void {
    this.socket.send(text);
  }
  close(code?: number): void {
    this.socket.close(code);
  }
}

describe('A live socket in a browser', () => {
  it('A live socket in a browser requests refusals as close codes, and does not reconnect after 4504', async () => {
    service.firstFrames = [];
    const socket = live({ WebSocket: PageWebSocket });
    const end = closed(socket);
    const opening = socket.open();
    (await service.nextSocket()).close(4504, 'there is no such room');
    expect(await end).toMatchObject({ code: 4504, willReconnect: false });
    await expect(opening).rejects.toMatchObject({
      status: 404,
      code: 'socket_closed',
      message: 'The socket has ended: 4504 there is no such room.',
      data: { close_code: 4504 },
    });
    expect(service.handshakes[0]!.get('reject')).toBe('close');
  });

  it.each([
    [4003, 401],
    [4500, 403],
    [4502, 401],
    [4504, 404],
    [4501, 0],
    [4503, 0],
  ])('A live socket in a browser maps the close code %i to the status %i', async (closeCode, status) => {
    service.firstFrames = [];
    service.onSocket = socket => socket.close(closeCode);
    service.on('POST /v1/auth/refresh', () => ok({ token: 't2', refresh_token: 'r2' }));
    const connecting = agent.connect({ WebSocket: PageWebSocket, random: () => 0 });
    await expect(connecting).rejects.toMatchObject({
      status,
      code: 'socket_closed',
      data: { close_code: closeCode },
    });
    expect(service.handshakes).toHaveLength(closeCode === 4003 ? 2 : 1);
  });

  it('A live socket in a browser uses the global WebSocket', async () => {
    const page = globalThis as { WebSocket?: WebSocketConstructor | undefined; document?: object };
    const original = page.WebSocket;
    page.WebSocket = PageWebSocket;
    page.document = {};
    await connect();
    expect(service.handshakes[0]!.get('reject')).toBe('close');
    page.WebSocket = original;
    delete page.document;
  });
});

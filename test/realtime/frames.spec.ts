import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import type { SerializedFrame } from '../../src/kernel/serialized-frame.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const PING = { type: 'ping' };

/** A frame of exactly this many bytes. */
function pingOf(bytes: number): string {
  const empty = JSON.stringify({ ...PING, pad: '' });
  return JSON.stringify({ ...PING, pad: 'x'.repeat(bytes - empty.length) });
}

/** The frames that the socket has received, without presence. */
const received = (socket: TestSocket) => socket.frames.filter(({ type }) => type !== 'presence.updated');
const typesOf = (socket: TestSocket) => received(socket).map(({ type }) => type);

describe('Frames from clients', () => {
  let world: World;
  let desk: Desk;
  let visitor: Visitor;
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
    visitor = await world.visitor(desk);
  });
  afterAll(() => world.stop());

  const both = async (): Promise<TestSocket[]> => [
    await world.agentSocket(desk.owner),
    await world.visitorSocket(visitor),
  ];

  describe('Ping and heartbeat', () => {
    it('A ping frame is answered with pong on both routes', async () => {
      for (const socket of await both()) {
        socket.send(PING);
        expect(await socket.next('pong')).toEqual({ type: 'pong' });
      }
    });

    it('A presence.heartbeat frame is accepted on both routes', async () => {
      for (const socket of await both()) {
        socket.send({ type: 'presence.heartbeat' });
        await socket.settled();
        expect(typesOf(socket)).toEqual(['connected', 'pong']);
      }
    });

    it('A WebSocket ping is answered with a WebSocket pong', async () => {
      const socket = await world.agentSocket(desk.owner);
      const answered = new Promise(resolve => socket.ws.once('pong', data => resolve(String(data))));
      socket.ws.ping('are you there');
      expect(await answered).toBe('are you there');
    });
  });

  describe('A frame that cannot be handled', () => {
    it.each([
      ['invalid JSON', '{"type":'],
      ['an empty text', ''],
      ['a string', '"ping"'],
      ['a number', '1'],
      ['null', 'null'],
      ['an array', '[{"type":"ping"}]'],
      ['no type', '{}'],
      ['a type that is not a string', '{"type":{"toString":"ping"}}'],
      ['deep nesting', `{"type":"ping","data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
      ['a binary frame', Buffer.from('{"type":"ping"}')],
    ])('A frame with %s is answered with frame_malformed', async (_name, frame) => {
      for (const socket of await both()) {
        socket.send(frame);
        const { error } = await socket.next('error');
        expect(error).toEqual({ code: 'frame_malformed', message: expect.stringMatching(/\w/) });
        await socket.settled();
        expect(socket.of('error').length).toBe(1);
      }
    });

    it.each(['message.created', 'Ping', 'ping ', '', 'toString', '__proto__', 'error'])(
      'A frame of type %j is answered with frame_unknown',
      async type => {
        for (const socket of await both()) {
          socket.send({ type });
          expect((await socket.next('error')).error?.code).toBe('frame_unknown');
          await socket.settled();
        }
      },
    );

    it('An event that a client sends as a frame reaches no other socket', async () => {
      const { id } = await world.conversation(await world.visitor(desk));
      const [room, inbox] = [await world.agentSocket(desk.owner, { room: id }), await world.agentSocket(desk.owner)];
      inbox.send({ type: 'message.created', conversation_id: id, data: { message: { content: 'forged' } } });
      await inbox.next('error');
      await room.settled();
      expect(room.of('message.created')).toEqual([]);
    });

    it('The tenth invalid frame in a minute is answered and closes the socket with 4501', async () => {
      for (const socket of await both()) {
        for (let index = 0; index < 9; index += 1) socket.send('no JSON');
        await socket.settled();
        expect(socket.closed).toBeNull();
        socket.send({ type: 'unknown' });
        expect((await socket.end()).code).toBe(4501);
        expect(socket.of('error').length).toBe(10);
      }
    });

    it('Frames behind the one that closed the socket are not handled', async () => {
      const socket = await world.agentSocket(desk.owner);
      for (let index = 0; index < 10; index += 1) socket.send('no JSON');
      for (let index = 0; index < 10; index += 1) socket.send(PING);
      expect((await socket.end()).code).toBe(4501);
      expect(typesOf(socket)).toEqual(['connected', ...Array<string>(10).fill('error')]);
    });

    it('Each forbidden frame is answered with its error, and the socket stays open', async () => {
      const { id } = await world.conversation(await world.visitor(desk));
      const socket = await world.agentSocket(desk.owner);
      for (let index = 0; index < 15; index += 1) socket.send({ type: 'typing', conversation_id: id });
      await socket.settled();
      expect(socket.of('error').map(({ error }) => error?.code)).toEqual(Array(15).fill('not_assigned'));
      expect(socket.closed).toBeNull();
    });
  });

  describe('Limits of a client’s frames', () => {
    it('A burst of 40 frames is handled', async () => {
      for (const socket of await both()) {
        for (let index = 0; index < 40; index += 1) socket.send(PING);
        await eventually(() => (socket.of('pong').length === 40 ? true : undefined));
        expect(socket.closed).toBeNull();
      }
    });

    it('More than 20 frames a second past the burst close the socket with 4008, and no other socket', async () => {
      const [socket, other] = [await world.agentSocket(desk.owner), await world.agentSocket(desk.owner)];
      for (let index = 0; index < 80; index += 1) socket.send(PING);
      expect((await socket.end()).code).toBe(4008);
      expect(socket.of('pong').length).toBeLessThanOrEqual(41);
      await other.settled();
    });

    it('A frame of 64 KiB is handled; a larger one closes the socket with 1009', async () => {
      for (const socket of await both()) {
        socket.send(pingOf(64 * 1024));
        await socket.next('pong');
        socket.send(pingOf(64 * 1024 + 1));
        expect((await socket.end()).code).toBe(1009);
      }
    });

    it('A principal may have 20 sockets open; one more closes the oldest with 4503', async () => {
      const agent = await world.colleague(desk);
      const guest = await world.visitor(desk);
      const makers = [() => world.agentSocket(agent), () => world.visitorSocket(guest)];
      for (const open of makers) {
        const sockets: TestSocket[] = [];
        for (let index = 0; index < 20; index += 1) sockets.push(await open());
        await sockets[0]?.settled();
        const newest = await open();
        expect((await sockets[0]?.end())?.code).toBe(4503);
        for (const socket of [...sockets.slice(1), newest]) await socket.settled();
        await sockets[1]?.close();
        const next = await open();
        await sockets[2]?.settled();
        expect(sockets[2]?.closed).toBeNull();
        for (const socket of [...sockets, newest, next]) socket.ws.terminate();
      }
    });
  });

  it('The frames of one client are handled one after another, in their order', async () => {
    const { id } = await world.conversation(visitor);
    const socket = await world.agentSocket(desk.owner);
    // Frames that need the database come before frames that do not.
    for (let index = 0; index < 10; index += 1) {
      socket.send({ type: 'typing', conversation_id: index % 2 ? id : newId() });
      socket.send(PING);
    }
    await eventually(() => (socket.of('pong').length === 10 ? true : undefined));
    const answers = received(socket)
      .slice(1)
      .map(({ type, error }) => error?.code ?? type);
    const expected = Array.from({ length: 10 }, (_nothing, index) => [
      index % 2 ? 'not_assigned' : 'not_found',
      'pong',
    ]);
    expect(answers).toEqual(expected.flat());
  });
});

describe('Typing', () => {
  let world: World;
  let desk: Desk;
  let agent: Agent;
  let visitor: Visitor;
  let conversation: { id: string };
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  /** Opens sockets around a new assigned conversation. Each test needs its own: typing is limited per conversation. */
  async function openConversation() {
    desk = await world.desk();
    agent = await world.colleague(desk, { name: 'Adam Agent' });
    visitor = await world.visitor(desk);
    conversation = await world.conversation(visitor);
    await agent.api.post(`/v1/conversations/${conversation.id}/take`);
    const { id } = conversation;
    const [typist, second, inbox, room, page, conv] = await Promise.all([
      world.agentSocket(agent),
      world.agentSocket(agent, { room: id }),
      world.agentSocket(desk.owner),
      world.agentSocket(desk.owner, { room: id }),
      world.visitorSocket(visitor),
      world.visitorSocket(visitor, { conv: id }),
    ]);
    return { id, typist, second, inbox, room, page, conv };
  }

  const typing = (socket: TestSocket) => socket.frames.filter(({ type }) => type.startsWith('typing'));
  const settled = (sockets: TestSocket[]) => Promise.all(sockets.map(socket => socket.settled()));

  it('An agent’s typing reaches the other agents and the visitor, but not the agent’s own sockets', async () => {
    const { id, typist, second, inbox, room, page, conv } = await openConversation();
    typist.send({ type: 'typing', conversation_id: id });
    for (const socket of [inbox, room, page, conv]) {
      expect(await socket.next('typing')).toEqual({
        type: 'typing',
        conversation_id: id,
        channel_id: desk.channelId,
        data: {
          conversation_id: id,
          sender_type: 'agent',
          sender_id: agent.memberId,
          name: 'Adam Agent',
          expires_in_ms: 8_000,
        },
      });
    }
    await settled([typist, second]);
    expect([...typing(typist), ...typing(second)]).toEqual([]);
  });

  it('A visitor’s typing reaches agents, but not the visitor’s own sockets', async () => {
    const { id, typist, inbox, room, page, conv } = await openConversation();
    page.send({ type: 'typing', conversation_id: id });
    for (const socket of [typist, inbox, room]) {
      const { data } = await socket.next('typing');
      expect(data).toMatchObject({ conversation_id: id, sender_type: 'contact', sender_id: visitor.contactId });
    }
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('Typing reaches agents scoped to the channel, and no agent or visitor outside it', async () => {
    const { id, typist } = await openConversation();
    const elsewhere = await world.channel(desk);
    const inside = await world.agentSocket(await world.colleague(desk, { channel_ids: [desk.channelId] }));
    const outsiders = [
      await world.agentSocket(await world.colleague(desk, { channel_ids: [elsewhere.id] })),
      await world.agentSocket(await world.colleague(desk, { channel_ids: [] })),
      await world.visitorSocket(await world.visitor(desk)),
      await world.agentSocket((await world.desk()).owner),
    ];
    typist.send({ type: 'typing', conversation_id: id });
    await inside.next('typing');
    await settled(outsiders);
    for (const socket of outsiders) expect(typing(socket)).toEqual([]);
  });

  it('A typing.stop frame reaches the receivers of the typing frame', async () => {
    const { id, typist, page, inbox } = await openConversation();
    typist.send({ type: 'typing', conversation_id: id });
    typist.send({ type: 'typing.stop', conversation_id: id });
    for (const socket of [inbox, page]) {
      const { data } = await socket.next('typing.stop');
      expect(data).toEqual({
        conversation_id: id,
        sender_type: 'agent',
        sender_id: agent.memberId,
        name: 'Adam Agent',
      });
      expect(typing(socket).map(({ type }) => type)).toEqual(['typing', 'typing.stop']);
    }
    expect(typing(typist)).toEqual([]);
  });

  it('An agent’s typing in a conversation that is not assigned to it is refused with not_assigned', async () => {
    const { id, inbox, typist, page, conv, room } = await openConversation();
    for (const type of ['typing', 'typing.stop']) {
      inbox.send({ type, conversation_id: id });
      const refused = await inbox.next('error', frame => inbox.frames.indexOf(frame) >= inbox.frames.length - 1);
      expect(refused.error?.code).toBe('not_assigned');
    }
    const unassigned = await world.conversation(await world.visitor(desk));
    typist.send({ type: 'typing', conversation_id: unassigned.id });
    expect((await typist.next('error')).error?.code).toBe('not_assigned');
    await settled([page, conv, room]);
    for (const socket of [page, conv, room, typist]) expect(typing(socket)).toEqual([]);
  });

  it('After a reassignment, the new assignee may send typing and the former may not', async () => {
    const { id, typist, inbox, page } = await openConversation();
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    typist.send({ type: 'typing', conversation_id: id });
    expect((await typist.next('error')).error?.code).toBe('not_assigned');
    inbox.send({ type: 'typing', conversation_id: id });
    expect((await page.next('typing')).data.sender_id).toBe(desk.owner.memberId);
  });

  it.each([
    ['an unknown conversation', () => newId()],
    ['a malformed id', () => 'nonsense'],
    ['an id that is not a string', () => ({ $ne: null })],
    ['no id', () => undefined],
    [
      'another workspace’s conversation',
      async () => (await world.conversation(await world.visitor(await world.desk()))).id,
    ],
  ])('Typing in %s is refused with not_found', async (_name, make) => {
    const { typist, page, inbox } = await openConversation();
    const conversation_id: unknown = await make();
    for (const socket of [typist, page]) {
      socket.send({ type: 'typing', conversation_id });
      expect((await socket.next('error')).error?.code).toBe('not_found');
    }
    await inbox.settled();
    expect(typing(inbox)).toEqual([]);
  });

  it('A visitor’s typing in another contact’s conversation is refused with not_found', async () => {
    const { id, inbox } = await openConversation();
    const stranger = await world.visitorSocket(await world.visitor(desk));
    stranger.send({ type: 'typing', conversation_id: id });
    expect((await stranger.next('error')).error?.code).toBe('not_found');
    await inbox.settled();
    expect(typing(inbox)).toEqual([]);
  });

  it('Typing of a private note and its stop reach agents only, even if the stop does not say private', async () => {
    const { id, typist, inbox, room, page, conv } = await openConversation();
    typist.send({ type: 'typing', conversation_id: id, private: true });
    typist.send({ type: 'typing.stop', conversation_id: id });
    for (const socket of [inbox, room]) await socket.next('typing.stop');
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('A typing.stop without a typing frame on the same socket reaches agents only, since it may end a private note', async () => {
    const { id, typist, inbox, room, page, conv } = await openConversation();
    typist.send({ type: 'typing.stop', conversation_id: id });
    for (const socket of [inbox, room]) await socket.next('typing.stop');
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('A visitor cannot make its typing private', async () => {
    const { id, page, inbox } = await openConversation();
    page.send({ type: 'typing', conversation_id: id, private: true });
    await inbox.next('typing');
  });

  it.each([
    ['at the top', (id: string) => ({ type: 'typing', conversation_id: id })],
    ['under data', (id: string) => ({ type: 'typing', data: { conversation_id: id } })],
    ['under payload', (id: string) => ({ type: 'typing', payload: { conversation_id: id } })],
  ])('A typing frame may have its fields %s', async (_name, frame) => {
    const { id, typist, page, inbox } = await openConversation();
    typist.send(frame(id));
    await page.next('typing');
    page.send(frame(id));
    await inbox.next('typing', ({ data }) => data.sender_type === 'contact');
  });

  it('Typing is forwarded at most once in two seconds per conversation and sender', async () => {
    const { id, typist, page, inbox } = await openConversation();
    const other = await world.conversation(await world.visitor(desk));
    await agent.api.post(`/v1/conversations/${other.id}/take`);
    for (let index = 0; index < 5; index += 1) typist.send({ type: 'typing', conversation_id: id });
    const first = performance.now();
    typist.send({ type: 'typing', conversation_id: other.id });
    page.send({ type: 'typing', conversation_id: id });
    await settled([typist, page, inbox]);
    const describeTyping = (frame: Frame) => `${frame.data.sender_type} in ${frame.conversation_id}`;
    const once = [`agent in ${id}`, `agent in ${other.id}`, `contact in ${id}`];
    expect(typing(inbox).map(describeTyping).sort()).toEqual(once.sort());
    let lastSent = first;
    const repeated = await eventually(() => {
      if (performance.now() - lastSent > 100) typist.send({ type: 'typing', conversation_id: id });
      if (performance.now() - lastSent > 100) lastSent = performance.now();
      return typing(inbox).length > once.length ? performance.now() : undefined;
    });
    expect(describeTyping(typing(inbox).at(-1) as Frame)).toBe(`agent in ${id}`);
    expect(repeated - first).toBeGreaterThan(1_900);
  });

  it('Alternating typing and typing.stop does not bypass the limit', async () => {
    const { id, page, inbox } = await openConversation();
    for (let index = 0; index < 10; index += 1) {
      page.send({ type: 'typing', conversation_id: id });
      page.send({ type: 'typing.stop', conversation_id: id });
    }
    await settled([page, inbox]);
    expect(typing(inbox).map(({ type }) => type)).toEqual(['typing', 'typing.stop']);
  });
});

describe('The lifetime of a socket', () => {
  it('A socket closes with 4003 when its token expires: after 15 minutes for agents, a day for visitors', async () => {
    const world = await World.start({ WS_PING_INTERVAL_MS: '100' });
    const desk = await world.desk();
    const visitor = await world.visitor(desk);
    const [inbox, page] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
    world.app.clock.advance(14 * 60);
    for (const socket of [inbox, page]) await socket.settled();
    const refreshed = await world.anyone.post('/v1/auth/refresh', { refresh_token: desk.owner.refreshToken });
    const fresh = await world.socket('agent', { token: refreshed.data.token });
    world.app.clock.advance(2 * 60);
    expect((await inbox.end()).code).toBe(4003);
    for (const socket of [fresh, page]) await socket.settled();
    world.app.clock.advance(24 * 3600);
    expect((await page.end()).code).toBe(4003);
    expect((await fresh.end()).code).toBe(4003);
    await world.stop();
  });

  describe('Keepalive with pings every 50 ms and 600 ms to answer', () => {
    let world: World;
    let desk: Desk;
    beforeAll(async () => {
      world = await World.start({ WS_PING_INTERVAL_MS: '50', WS_PONG_WAIT_MS: '600' });
      desk = await world.desk();
    });
    afterAll(() => world.stop());

    /** Opens a socket whose client does not answer pings. */
    async function openSilentSocket(): Promise<TestSocket> {
      const socket = await world.agentSocket(desk.owner);
      socket.ws.pong = () => undefined;
      return socket;
    }

    it('The connected frame has the ping interval and the time to answer', async () => {
      const { frames } = await world.agentSocket(desk.owner);
      expect(frames[0]?.data).toMatchObject({ ping_interval_ms: 50, pong_wait_ms: 600 });
    });

    it('A socket that answers no ping is closed with 4001; one that answers stays open', async () => {
      const [silent, lively] = [await openSilentSocket(), await world.agentSocket(desk.owner)];
      let pings = 0;
      lively.ws.on('ping', () => (pings += 1));
      expect((await silent.end()).code).toBe(4001);
      const before = pings;
      await eventually(() => (pings > before + 10 ? true : undefined));
      await lively.settled();
    });

    it.each([{ type: 'ping' }, { type: 'presence.heartbeat' }, { type: 'unknown' }])(
      'Any frame counts as an answer to a ping: %j',
      async frame => {
        const [socket, silent] = [await openSilentSocket(), await openSilentSocket()];
        let pings = 0;
        socket.ws.on('ping', () => (pings++ % 2 ? socket.send(frame) : undefined));
        expect((await silent.end()).code).toBe(4001);
        if (frame.type === 'unknown') expect((await socket.end()).code).toBe(4501);
        else await socket.settled();
      },
    );

    it('A client that does not answer the close frame is cut off', async () => {
      const socket = await world.agentSocket(desk.owner);
      const hub = world.app.app.get(SocketHub);
      const [connection] = [...hub.connections].slice(-1);
      socket.ws.pause();
      await eventually(() => (connection?.closedAt ? true : undefined));
      await eventually(() => (connection && !hub.connections.has(connection) ? true : undefined));
      expect(connection?.socket.readyState).toBe(connection?.socket.CLOSED);
      socket.ws.resume();
      await socket.end();
    });
  });
});

describe('A client that reads too slowly', () => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
  });
  afterAll(() => world.stop());

  const CONTENT = '漢'.repeat(20_000); // 60 kB on the wire, the largest message

  /** Opens a socket that does not read, and returns functions that fill its send buffer. */
  async function openConversation() {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const agent = await world.colleague(desk);
    await agent.api.post(`/v1/conversations/${id}/take`);
    const slow = await world.visitorSocket(visitor, { conv: id });
    const [connection] = [...world.app.app.get(SocketHub).connections].slice(-1);
    if (!connection) throw new Error('no connection');
    const typist = await world.agentSocket(agent);
    const sendMessage = () => agent.api.post(`/v1/conversations/${id}/messages`, { content: CONTENT });
    await sendMessage();
    const first = JSON.stringify(await slow.next('message.created')) as SerializedFrame;
    slow.ws.pause();
    let filled = 0;
    /** Sends the same frame until the send buffer has this many bytes. */
    const fillTo = async (bytes: number) => {
      while (connection.socket.bufferedAmount < bytes && connection.closedAt === null) {
        connection.send(first);
        filled += 1;
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    return { id, slow, typist, connection, fillTo, sendMessage, filled: () => filled };
  }

  it('A slow client misses ephemeral frames past 1 MiB of buffer, but no message', async () => {
    const { id, slow, typist, connection, fillTo, sendMessage, filled } = await openConversation();
    await fillTo(1024 * 1024);
    expect(connection.closedAt).toBeNull();
    typist.send({ type: 'typing', conversation_id: id });
    await typist.settled();
    for (let index = 0; index < 3; index += 1) await sendMessage();
    slow.ws.resume();
    await slow.next('message.created', frame => frame.data.conversation.last_seq === 5);
    await slow.settled();
    expect(slow.of('message.created').length).toBe(1 + filled() + 3);
    expect(slow.of('typing')).toEqual([]);
    typist.send({ type: 'typing.stop', conversation_id: id });
    await slow.next('typing.stop');
  });

  it('A slow client is closed with 4002 past 4 MiB of buffer, and other sockets are not delayed', async () => {
    const { id, slow, typist, connection, fillTo, sendMessage } = await openConversation();
    await fillTo(4 * 1024 * 1024);
    expect(connection.closedAt).toBeNull();
    for (let index = 0; index < 3; index += 1) await sendMessage();
    expect(connection.closedAt).not.toBeNull();
    expect(connection.socket.bufferedAmount).toBeLessThan(5 * 1024 * 1024);
    await typist.settled();
    expect(typist.of('message.created').filter(frame => frame.conversation_id === id).length).toBe(4);
    slow.ws.resume();
    expect((await slow.end()).code).toBe(4002);
  });
});

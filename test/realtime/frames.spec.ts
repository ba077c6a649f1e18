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

/** What it has been told, but for who else is there. */
const told = (socket: TestSocket) => socket.frames.filter(({ type }) => type !== 'presence.updated');
const typesOf = (socket: TestSocket) => told(socket).map(({ type }) => type);

describe('frames from clients', () => {
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

  describe('ping and heartbeat', () => {
    it('ping is answered with pong, on both routes', async () => {
      for (const socket of await both()) {
        socket.send(PING);
        expect(await socket.next('pong')).toEqual({ type: 'pong' });
      }
    });

    it('presence.heartbeat is accepted, on both routes', async () => {
      for (const socket of await both()) {
        socket.send({ type: 'presence.heartbeat' });
        await socket.settled();
        expect(typesOf(socket)).toEqual(['connected', 'pong']);
      }
    });

    it('a ping of the protocol is answered too', async () => {
      const socket = await world.agentSocket(desk.owner);
      const answered = new Promise(resolve => socket.ws.once('pong', data => resolve(String(data))));
      socket.ws.ping('are you there');
      expect(await answered).toBe('are you there');
    });
  });

  describe('a frame that cannot be handled', () => {
    it.each([
      ['no JSON', '{"type":'],
      ['an empty text', ''],
      ['a text', '"ping"'],
      ['a number', '1'],
      ['null', 'null'],
      ['a list', '[{"type":"ping"}]'],
      ['no type', '{}'],
      ['a type that is no text', '{"type":{"toString":"ping"}}'],
      ['deep nesting', `{"type":"ping","data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
      ['a binary frame', Buffer.from('{"type":"ping"}')],
    ])('is answered with frame_malformed: %s', async (_name, frame) => {
      for (const socket of await both()) {
        socket.send(frame);
        const { error } = await socket.next('error');
        expect(error).toEqual({ code: 'frame_malformed', message: expect.stringMatching(/\w/) });
        await socket.settled();
        expect(socket.of('error').length).toBe(1);
      }
    });

    it.each(['message.created', 'Ping', 'ping ', '', 'toString', '__proto__', 'error'])(
      'is answered with frame_unknown: type %j',
      async type => {
        for (const socket of await both()) {
          socket.send({ type });
          expect((await socket.next('error')).error?.code).toBe('frame_unknown');
          await socket.settled();
        }
      },
    );

    it('changes nothing for others: nothing that a client sends as an event reaches anybody', async () => {
      const { id } = await world.conversation(await world.visitor(desk));
      const [room, inbox] = [await world.agentSocket(desk.owner, { room: id }), await world.agentSocket(desk.owner)];
      inbox.send({ type: 'message.created', conversation_id: id, data: { message: { content: 'forged' } } });
      await inbox.next('error');
      await room.settled();
      expect(room.of('message.created')).toEqual([]);
    });

    it('the tenth in a minute is answered too, and closes the socket with 4501', async () => {
      for (const socket of await both()) {
        for (let index = 0; index < 9; index += 1) socket.send('no JSON');
        await socket.settled();
        expect(socket.closed).toBeNull();
        socket.send({ type: 'unknown' });
        expect((await socket.end()).code).toBe(4501);
        expect(socket.of('error').length).toBe(10);
      }
    });

    it('frames behind the one that closed the socket are not handled', async () => {
      const socket = await world.agentSocket(desk.owner);
      for (let index = 0; index < 10; index += 1) socket.send('no JSON');
      for (let index = 0; index < 10; index += 1) socket.send(PING);
      expect((await socket.end()).code).toBe(4501);
      expect(typesOf(socket)).toEqual(['connected', ...Array<string>(10).fill('error')]);
    });

    it('what a client may not do is told as often as it tries, and does not end its socket', async () => {
      const { id } = await world.conversation(await world.visitor(desk));
      const socket = await world.agentSocket(desk.owner);
      for (let index = 0; index < 15; index += 1) socket.send({ type: 'typing', conversation_id: id });
      await socket.settled();
      expect(socket.of('error').map(({ error }) => error?.code)).toEqual(Array(15).fill('not_assigned'));
      expect(socket.closed).toBeNull();
    });
  });

  describe('how much a client may say', () => {
    it('a burst of 40 frames is handled', async () => {
      for (const socket of await both()) {
        for (let index = 0; index < 40; index += 1) socket.send(PING);
        await eventually(() => (socket.of('pong').length === 40 ? true : undefined));
        expect(socket.closed).toBeNull();
      }
    });

    it('more than 20 a second past the burst closes with 4008, and only that socket', async () => {
      const [socket, other] = [await world.agentSocket(desk.owner), await world.agentSocket(desk.owner)];
      for (let index = 0; index < 80; index += 1) socket.send(PING);
      expect((await socket.end()).code).toBe(4008);
      expect(socket.of('pong').length).toBeLessThanOrEqual(41);
      await other.settled();
    });

    it('a frame of 64 KiB is handled, a larger one closes with 1009', async () => {
      for (const socket of await both()) {
        socket.send(pingOf(64 * 1024));
        await socket.next('pong');
        socket.send(pingOf(64 * 1024 + 1));
        expect((await socket.end()).code).toBe(1009);
      }
    });

    it('20 sockets of one principal are open at once; for one more the oldest gives way with 4503', async () => {
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

  it('one client’s frames are handled one after another, in their order', async () => {
    const { id } = await world.conversation(visitor);
    const socket = await world.agentSocket(desk.owner);
    // what has to ask the database comes before what is answered at once
    for (let index = 0; index < 10; index += 1) {
      socket.send({ type: 'typing', conversation_id: index % 2 ? id : newId() });
      socket.send(PING);
    }
    await eventually(() => (socket.of('pong').length === 10 ? true : undefined));
    const answers = told(socket)
      .slice(1)
      .map(({ type, error }) => error?.code ?? type);
    const expected = Array.from({ length: 10 }, (_nothing, index) => [
      index % 2 ? 'not_assigned' : 'not_found',
      'pong',
    ]);
    expect(answers).toEqual(expected.flat());
  });
});

describe('typing', () => {
  let world: World;
  let desk: Desk;
  let agent: Agent;
  let visitor: Visitor;
  let conversation: { id: string };
  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  /** A conversation of its own for each test, assigned to an agent: what passes is counted by conversation. */
  async function stage() {
    desk = await world.desk();
    agent = await world.colleague(desk, { name: 'Adam Agent' });
    visitor = await world.visitor(desk);
    conversation = await world.conversation(visitor);
    await agent.api.post(`/v1/conversations/${conversation.id}/take`);
    const { id } = conversation;
    const [own, second, inbox, room, page, conv] = await Promise.all([
      world.agentSocket(agent),
      world.agentSocket(agent, { room: id }),
      world.agentSocket(desk.owner),
      world.agentSocket(desk.owner, { room: id }),
      world.visitorSocket(visitor),
      world.visitorSocket(visitor, { conv: id }),
    ]);
    return { id, own, second, inbox, room, page, conv };
  }

  const typing = (socket: TestSocket) => socket.frames.filter(({ type }) => type.startsWith('typing'));
  const settled = (sockets: TestSocket[]) => Promise.all(sockets.map(socket => socket.settled()));

  it('of an agent reaches the other agents and the visitor, not the agent’s own sockets', async () => {
    const { id, own, second, inbox, room, page, conv } = await stage();
    own.send({ type: 'typing', conversation_id: id });
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
    await settled([own, second]);
    expect([...typing(own), ...typing(second)]).toEqual([]);
  });

  it('of a visitor reaches agents, not the visitor’s own sockets', async () => {
    const { id, own, inbox, room, page, conv } = await stage();
    page.send({ type: 'typing', conversation_id: id });
    for (const socket of [own, inbox, room]) {
      const { data } = await socket.next('typing');
      expect(data).toMatchObject({ conversation_id: id, sender_type: 'contact', sender_id: visitor.contactId });
    }
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('reaches scoped agents of the channel, and nobody else', async () => {
    const { id, own } = await stage();
    const elsewhere = await world.channel(desk);
    const inside = await world.agentSocket(await world.colleague(desk, { channel_ids: [desk.channelId] }));
    const outsiders = [
      await world.agentSocket(await world.colleague(desk, { channel_ids: [elsewhere.id] })),
      await world.agentSocket(await world.colleague(desk, { channel_ids: [] })),
      await world.visitorSocket(await world.visitor(desk)),
      await world.agentSocket((await world.desk()).owner),
    ];
    own.send({ type: 'typing', conversation_id: id });
    await inside.next('typing');
    await settled(outsiders);
    for (const socket of outsiders) expect(typing(socket)).toEqual([]);
  });

  it('is told to be over by typing.stop', async () => {
    const { id, own, page, inbox } = await stage();
    own.send({ type: 'typing', conversation_id: id });
    own.send({ type: 'typing.stop', conversation_id: id });
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
    expect(typing(own)).toEqual([]);
  });

  it('of an agent passes only where the conversation is assigned to it, else not_assigned', async () => {
    const { id, inbox, own, page, conv, room } = await stage();
    for (const type of ['typing', 'typing.stop']) {
      inbox.send({ type, conversation_id: id });
      const refused = await inbox.next('error', frame => inbox.frames.indexOf(frame) >= inbox.frames.length - 1);
      expect(refused.error?.code).toBe('not_assigned');
    }
    const unassigned = await world.conversation(await world.visitor(desk));
    own.send({ type: 'typing', conversation_id: unassigned.id });
    expect((await own.next('error')).error?.code).toBe('not_assigned');
    await settled([page, conv, room]);
    for (const socket of [page, conv, room, own]) expect(typing(socket)).toEqual([]);
  });

  it('follows the assignment: who takes the conversation may, who had it may not', async () => {
    const { id, own, inbox, page } = await stage();
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    own.send({ type: 'typing', conversation_id: id });
    expect((await own.next('error')).error?.code).toBe('not_assigned');
    inbox.send({ type: 'typing', conversation_id: id });
    expect((await page.next('typing')).data.sender_id).toBe(desk.owner.memberId);
  });

  it.each([
    ['an unknown conversation', () => newId()],
    ['a malformed id', () => 'nonsense'],
    ['an id that is no text', () => ({ $ne: null })],
    ['no id', () => undefined],
    ['another workspace’s', async () => (await world.conversation(await world.visitor(await world.desk()))).id],
  ])('in %s is not_found', async (_name, make) => {
    const { own, page, inbox } = await stage();
    const conversation_id: unknown = await make();
    for (const socket of [own, page]) {
      socket.send({ type: 'typing', conversation_id });
      expect((await socket.next('error')).error?.code).toBe('not_found');
    }
    await inbox.settled();
    expect(typing(inbox)).toEqual([]);
  });

  it('of a visitor in another contact’s conversation is not_found', async () => {
    const { id, inbox } = await stage();
    const stranger = await world.visitorSocket(await world.visitor(desk));
    stranger.send({ type: 'typing', conversation_id: id });
    expect((await stranger.next('error')).error?.code).toBe('not_found');
    await inbox.settled();
    expect(typing(inbox)).toEqual([]);
  });

  it('of a private note reaches agents only, and so does its end, said to be private or not', async () => {
    const { id, own, inbox, room, page, conv } = await stage();
    own.send({ type: 'typing', conversation_id: id, private: true });
    own.send({ type: 'typing.stop', conversation_id: id });
    for (const socket of [inbox, room]) await socket.next('typing.stop');
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('that has begun elsewhere ends for agents alone, unless it is said to be public: it may have been a note', async () => {
    const { id, own, inbox, room, page, conv } = await stage();
    own.send({ type: 'typing.stop', conversation_id: id });
    for (const socket of [inbox, room]) await socket.next('typing.stop');
    await settled([page, conv]);
    expect([...typing(page), ...typing(conv)]).toEqual([]);
  });

  it('of a visitor cannot be made private', async () => {
    const { id, page, inbox } = await stage();
    page.send({ type: 'typing', conversation_id: id, private: true });
    await inbox.next('typing');
  });

  it.each([
    ['at the top', (id: string) => ({ type: 'typing', conversation_id: id })],
    ['under data', (id: string) => ({ type: 'typing', data: { conversation_id: id } })],
    ['under payload', (id: string) => ({ type: 'typing', payload: { conversation_id: id } })],
  ])('takes its fields %s', async (_name, frame) => {
    const { id, own, page, inbox } = await stage();
    own.send(frame(id));
    await page.next('typing');
    page.send(frame(id));
    await inbox.next('typing', ({ data }) => data.sender_type === 'contact');
  });

  it('passes at most once in two seconds, each conversation and each sender for itself, and then again', async () => {
    const { id, own, page, inbox } = await stage();
    const other = await world.conversation(await world.visitor(desk));
    await agent.api.post(`/v1/conversations/${other.id}/take`);
    for (let index = 0; index < 5; index += 1) own.send({ type: 'typing', conversation_id: id });
    const first = performance.now();
    own.send({ type: 'typing', conversation_id: other.id });
    page.send({ type: 'typing', conversation_id: id });
    await settled([own, page, inbox]);
    const of = (frame: Frame) => `${frame.data.sender_type} in ${frame.conversation_id}`;
    const once = [`agent in ${id}`, `agent in ${other.id}`, `contact in ${id}`];
    expect(typing(inbox).map(of).sort()).toEqual(once.sort());
    let asked = first;
    const repeated = await eventually(() => {
      if (performance.now() - asked > 100) own.send({ type: 'typing', conversation_id: id });
      if (performance.now() - asked > 100) asked = performance.now();
      return typing(inbox).length > once.length ? performance.now() : undefined;
    });
    expect(of(typing(inbox).at(-1) as Frame)).toBe(`agent in ${id}`);
    expect(repeated - first).toBeGreaterThan(1_900);
  });

  it('starting and stopping in turn passes no more often', async () => {
    const { id, page, inbox } = await stage();
    for (let index = 0; index < 10; index += 1) {
      page.send({ type: 'typing', conversation_id: id });
      page.send({ type: 'typing.stop', conversation_id: id });
    }
    await settled([page, inbox]);
    expect(typing(inbox).map(({ type }) => type)).toEqual(['typing', 'typing.stop']);
  });
});

describe('how long a socket lives', () => {
  it('ends with its token: 4003, for agents after 15 minutes, for visitors after a day', async () => {
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

  describe('with pings every 50 ms and 600 ms to answer', () => {
    let world: World;
    let desk: Desk;
    beforeAll(async () => {
      world = await World.start({ WS_PING_INTERVAL_MS: '50', WS_PONG_WAIT_MS: '600' });
      desk = await world.desk();
    });
    afterAll(() => world.stop());

    /** A client whose library does not answer pings. */
    async function mute(): Promise<TestSocket> {
      const socket = await world.agentSocket(desk.owner);
      socket.ws.pong = () => undefined;
      return socket;
    }

    it('tells the client so', async () => {
      const { frames } = await world.agentSocket(desk.owner);
      expect(frames[0]?.data).toMatchObject({ ping_interval_ms: 50, pong_wait_ms: 600 });
    });

    it('a silent socket is closed with 4001, one that answers stays', async () => {
      const [silent, lively] = [await mute(), await world.agentSocket(desk.owner)];
      let pings = 0;
      lively.ws.on('ping', () => (pings += 1));
      expect((await silent.end()).code).toBe(4001);
      const before = pings;
      await eventually(() => (pings > before + 10 ? true : undefined));
      await lively.settled();
    });

    it.each([{ type: 'ping' }, { type: 'presence.heartbeat' }, { type: 'unknown' }])(
      'any frame counts as an answer: %j',
      async frame => {
        const [socket, silent] = [await mute(), await mute()];
        let pings = 0;
        socket.ws.on('ping', () => (pings++ % 2 ? socket.send(frame) : undefined));
        expect((await silent.end()).code).toBe(4001);
        if (frame.type === 'unknown') expect((await socket.end()).code).toBe(4501);
        else await socket.settled();
      },
    );

    it('a client that does not even close is cut off', async () => {
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

describe('a client that reads too slowly', () => {
  let world: World;
  let desk: Desk;
  beforeAll(async () => {
    world = await World.start();
    desk = await world.desk();
  });
  afterAll(() => world.stop());

  const CONTENT = '漢'.repeat(20_000); // 60 kB on the wire, as large as a message gets

  /** A paused socket in an assigned conversation, and how to make its server's buffer grow. */
  async function stage() {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    const agent = await world.colleague(desk);
    await agent.api.post(`/v1/conversations/${id}/take`);
    const slow = await world.visitorSocket(visitor, { conv: id });
    const [connection] = [...world.app.app.get(SocketHub).connections].slice(-1);
    if (!connection) throw new Error('no connection');
    const typist = await world.agentSocket(agent);
    const say = () => agent.api.post(`/v1/conversations/${id}/messages`, { content: CONTENT });
    await say();
    const first = JSON.stringify(await slow.next('message.created')) as SerializedFrame;
    slow.ws.pause();
    let filled = 0;
    /** Says the same again and again; what is said does not matter to who does not read it. */
    const fillTo = async (bytes: number) => {
      while (connection.socket.bufferedAmount < bytes && connection.closedAt === null) {
        connection.send(first);
        filled += 1;
        await new Promise(resolve => setImmediate(resolve));
      }
    };
    return { id, slow, typist, connection, fillTo, say, filled: () => filled };
  }

  it('misses passing frames past 1 MiB, and no message', async () => {
    const { id, slow, typist, connection, fillTo, say, filled } = await stage();
    await fillTo(1024 * 1024);
    expect(connection.closedAt).toBeNull();
    typist.send({ type: 'typing', conversation_id: id });
    await typist.settled();
    for (let index = 0; index < 3; index += 1) await say();
    slow.ws.resume();
    await slow.next('message.created', frame => frame.data.conversation.last_seq === 5);
    await slow.settled();
    expect(slow.of('message.created').length).toBe(1 + filled() + 3);
    expect(slow.of('typing')).toEqual([]);
    typist.send({ type: 'typing.stop', conversation_id: id });
    await slow.next('typing.stop');
  });

  it('is closed with 4002 past 4 MiB, and others are not held up', async () => {
    const { id, slow, typist, connection, fillTo, say } = await stage();
    await fillTo(4 * 1024 * 1024);
    expect(connection.closedAt).toBeNull();
    for (let index = 0; index < 3; index += 1) await say();
    expect(connection.closedAt).not.toBeNull();
    expect(connection.socket.bufferedAmount).toBeLessThan(5 * 1024 * 1024);
    await typist.settled();
    expect(typist.of('message.created').filter(frame => frame.conversation_id === id).length).toBe(4);
    slow.ws.resume();
    expect((await slow.end()).code).toBe(4002);
  });
});

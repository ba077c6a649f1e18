import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Authenticator } from '../../src/platform/access/authenticator.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import type { TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ownDatabase } from '../support/own-database.js';
import { seeded } from '../support/seeded.js';
import type { TestSocket } from '../support/socket.js';
import type { Agent, Desk, Visitor } from '../support/world.js';
import { unique, World } from '../support/world.js';

const MEMBERS = '/v1/workspace/members';
const ROUNDS = 6;
/** As many as one principal may have on one instance. */
const SOCKETS = 20;

/** Two instances that share one database and no Redis: one hears of the other through the event log alone. */
let database: TestDatabase;
let here: World;
let there: World;
beforeAll(async () => {
  database = await ownDatabase();
  [here, there] = [await World.start({}, { database }), await World.start({}, { database })];
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await database.drop();
});
afterEach(() => void jest.restoreAllMocks());

let desk: Desk;
/** The channel that the member loses and gets back, and a visitor of each of the two. */
let shopId: string;
let buyer: Visitor;
let guest: Visitor;
beforeEach(async () => {
  desk = await here.desk();
  const shop = await here.channel(desk);
  shopId = shop.id as string;
  buyer = await here.visitor({ widgetToken: shop.widget_token as string });
  guest = await here.visitor(desk);
});

async function scopeTo(member: Agent, channel_ids: string[] | null): Promise<void> {
  const { status } = await desk.owner.api.patch(`${MEMBERS}/${member.memberId}`, { channel_ids });
  expect(status).toBe(200);
}

const heard = (socket: TestSocket, content: string) =>
  socket.of('message.created').some(({ data }) => data.message.content === content);

/** How many of the sockets hear a message of the shop; a message of the other channel, sent after it, is awaited. */
async function countHearingShop(sockets: TestSocket[]): Promise<number> {
  const [inShop, elsewhere] = [unique('in the shop'), unique('elsewhere')];
  await here.conversation(buyer, inShop).catch(() => say(buyer, inShop));
  await here.conversation(guest, elsewhere).catch(() => say(guest, elsewhere));
  await Promise.all(
    sockets.map(socket => socket.next('message.created', ({ data }) => data.message.content === elsewhere)),
  );
  await Promise.all(sockets.map(socket => socket.settled()));
  return sockets.filter(socket => heard(socket, inShop)).length;
}

async function say(visitor: Visitor, content: string): Promise<void> {
  const [conversation] = (await visitor.api.get('/v1/widget/conversations')).data.items;
  await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content });
}

describe('forty sockets of one member on two instances without Redis', () => {
  let member: Agent;
  let sockets: TestSocket[];
  beforeEach(async () => {
    member = await here.colleague(desk, { channel_ids: [desk.channelId, shopId] });
    const worlds = Array.from({ length: 2 * SOCKETS }, (_nothing, index) => (index % 2 === 0 ? here : there));
    sockets = await Promise.all(worlds.map(world => world.agentSocket(member)));
  });

  /** Changes the member's channels, while each socket says `auth` at a moment of its own around the change. */
  async function race(channels: string[], random: () => number): Promise<void> {
    const authenticated = sockets.map(socket => socket.of('authenticated').length);
    const updated = sockets.map(socket => socket.of('member.updated').length);
    const renew = (socket: TestSocket) => socket.send({ type: 'auth', token: member.token });
    const [early, late] = [[] as TestSocket[], [] as TestSocket[]];
    for (const socket of sockets) (random() < 0.3 ? early : late).push(socket);
    const change = scopeTo(member, channels);
    for (const socket of early) renew(socket);
    await change;
    for (const socket of late) renew(socket);
    await Promise.all(
      sockets.map((socket, index) =>
        eventually(() => {
          const renewed = socket.of('authenticated').length > (authenticated[index] ?? 0);
          return (renewed && socket.of('member.updated').length > (updated[index] ?? 0)) || undefined;
        }),
      ),
    );
  }

  it('all lose a channel that their member loses while they say `auth`, and all get it back with it', async () => {
    const random = seeded(11);
    const counts: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const channels = round % 2 === 0 ? [desk.channelId] : [desk.channelId, shopId];
      await race(channels, random);
      counts.push(await countHearingShop(sockets));
    }
    expect(counts).toEqual(Array.from({ length: ROUNDS }, (_nothing, round) => (round % 2 === 0 ? 0 : 2 * SOCKETS)));
  });

  it('end in the last of several changes that follow each other while they say `auth`', async () => {
    const random = seeded(12);
    const wide = [desk.channelId, shopId];
    for (const [index, last] of [[desk.channelId], wide, [desk.channelId]].entries()) {
      await scopeTo(member, wide);
      await scopeTo(member, [desk.channelId]);
      await scopeTo(member, index % 2 === 0 ? wide : [desk.channelId]);
      await race(last, random);
      await eventually(() => (joinedByAll(last) ? true : undefined));
      expect(await countHearingShop(sockets)).toBe(last.includes(shopId) ? 2 * SOCKETS : 0);
    }
  });

  /** Each socket of the member is in the topics of these channels, and in no other channel's. */
  function joinedByAll(channels: string[]): boolean {
    const wanted = channels.map(id => `channel:${id}`).sort();
    return [here, there].every(world =>
      [...world.app.app.get(SocketHub).connections]
        .filter(({ principal }) => principal.kind === 'agent' && principal.memberId === member.memberId)
        .every(({ topics }) => {
          const joined = [...topics].filter(topic => /^(channel|inbox):/.test(topic)).sort();
          return JSON.stringify(joined) === JSON.stringify(wanted);
        }),
    );
  }
});

describe('a socket that says `auth`', () => {
  /** Holds the answer of the next `authenticate` of this instance back, after it was read. */
  function holdNextRead(world: World): { read: Promise<void>; go: () => void } {
    const authenticator = world.app.app.get(Authenticator);
    const original = authenticator.authenticate.bind(authenticator);
    let go = () => {};
    let tell = () => {};
    const held = new Promise<void>(resolve => (go = resolve));
    const read = new Promise<void>(resolve => (tell = resolve));
    jest.spyOn(authenticator, 'authenticate').mockImplementationOnce(async (...asked) => {
      const principal = await original(...asked);
      tell();
      await held;
      return principal;
    });
    return { read, go };
  }

  it.each([
    ['loses a channel that was cut after its token was read', [true, false]],
    ['gets a channel that was given after its token was read', [false, true]],
  ])('%s', async (_what, [before, after]) => {
    const scope = (withShop: boolean | undefined) => (withShop ? [desk.channelId, shopId] : [desk.channelId]);
    const member = await here.colleague(desk, { channel_ids: scope(before) });
    const socket = await there.agentSocket(member);
    const { read, go } = holdNextRead(there);
    socket.send({ type: 'auth', token: member.token });
    await read;
    await scopeTo(member, scope(after));
    await socket.next('member.updated');
    go();
    await socket.next('authenticated');
    expect(await countHearingShop([socket])).toBe(after ? 1 : 0);
    // the principal is what requests over the socket are measured by
    const [connection] = [...there.app.app.get(SocketHub).connections].slice(-1);
    const { principal } = connection ?? {};
    expect(principal?.kind === 'agent' && [...(principal.scope ?? [])].sort()).toEqual(scope(after).sort());
  });

  it('of a conversation’s room closes with 4502 as soon as its token is read after a cut', async () => {
    const member = await here.colleague(desk, { channel_ids: [desk.channelId, shopId] });
    const { id } = await here.conversation(buyer);
    const socket = await there.agentSocket(member, { room: id as string });
    await scopeTo(member, [desk.channelId]);
    socket.send({ type: 'auth', token: member.token });
    expect((await socket.end()).code).toBe(4502);
  });

  it('and has gone before its token was read leaves nothing behind in the hub', async () => {
    const member = await here.colleague(desk);
    const socket = await there.agentSocket(member);
    const hub = there.app.app.get(SocketHub);
    const [connection] = [...hub.connections].slice(-1);
    const again = here.agentOf(
      (await here.anyone.post('/v1/auth/login', { email: member.email, password: 'correct horse battery' })).data,
      member.email,
    );
    const { read, go } = holdNextRead(there);
    socket.send({ type: 'auth', token: again.token });
    await read;
    await socket.close();
    await eventually(() => (connection && !hub.connections.has(connection) ? true : undefined));
    go();
    const other = await there.agentSocket(member);
    await other.settled();
    expect([...(connection?.topics ?? [])]).toEqual([]);
  });
});

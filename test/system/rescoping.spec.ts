import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Authenticator } from '../../src/platform/access/authenticator.js';
import { SocketHub } from '../../src/platform/sockets/socket-hub.js';
import { eventually } from '../support/eventually.js';
import { seeded } from '../support/seeded.js';
import type { TestSocket } from '../support/socket.js';
import { desk, first as here, second as there } from '../support/two-instances-for-each.js';
import type { Agent, Visitor, World } from '../support/world.js';
import { unique } from '../support/world.js';

const MEMBERS = '/v1/workspace/members';
const ROUNDS = 6;
/** Maximum number of sockets of one principal on one instance. */
const SOCKETS = 20;

afterEach(() => void jest.restoreAllMocks());

/** `shopId` is the channel that the member loses and regains; `buyer` is its visitor, `guest` the default channel's. */
let shopId: string;
let buyer: Visitor;
let guest: Visitor;
beforeEach(async () => {
  const shop = await here.channel(desk);
  shopId = shop.id as string;
  buyer = await here.visitor({ widgetToken: shop.widget_token as string });
  guest = await here.visitor(desk);
});

async function scopeTo(member: Agent, channel_ids: string[] | null): Promise<void> {
  const { status } = await desk.owner.api.patch(`${MEMBERS}/${member.memberId}`, { channel_ids });
  expect(status).toBe(200);
}

const hasReceived = (socket: TestSocket, content: string) =>
  socket.of('message.created').some(({ data }) => data.message.content === content);

/**
 * Sends a message in the shop, then one in the other channel, and waits for the latter on every socket.
 *
 * @returns how many sockets received the message in the shop
 */
async function countReceivingShop(sockets: TestSocket[]): Promise<number> {
  const [inShop, elsewhere] = [unique('in the shop'), unique('elsewhere')];
  await here.conversation(buyer, inShop).catch(() => sendMessage(buyer, inShop));
  await here.conversation(guest, elsewhere).catch(() => sendMessage(guest, elsewhere));
  await Promise.all(
    sockets.map(socket => socket.next('message.created', ({ data }) => data.message.content === elsewhere)),
  );
  await Promise.all(sockets.map(socket => socket.settled()));
  return sockets.filter(socket => hasReceived(socket, inShop)).length;
}

async function sendMessage(visitor: Visitor, content: string): Promise<void> {
  const [conversation] = (await visitor.api.get('/v1/widget/conversations')).data.items;
  await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content });
}

describe('Forty sockets of one member on two instances without Redis', () => {
  let member: Agent;
  let sockets: TestSocket[];
  beforeEach(async () => {
    member = await here.colleague(desk, { channel_ids: [desk.channelId, shopId] });
    const worlds = Array.from({ length: 2 * SOCKETS }, (_nothing, index) => (index % 2 === 0 ? here : there));
    sockets = await Promise.all(worlds.map(world => world.agentSocket(member)));
  });

  /** Changes the member's channels while each socket sends `auth` at a random moment around the change. */
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

  it('All sockets of a member lose and regain a channel with the member, even while they send `auth`', async () => {
    const random = seeded(11);
    const counts: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const channels = round % 2 === 0 ? [desk.channelId] : [desk.channelId, shopId];
      await race(channels, random);
      counts.push(await countReceivingShop(sockets));
    }
    expect(counts).toEqual(Array.from({ length: ROUNDS }, (_nothing, round) => (round % 2 === 0 ? 0 : 2 * SOCKETS)));
  });

  it('After several scope changes in a row, all sockets have the last scope, even while they send `auth`', async () => {
    const random = seeded(12);
    const wide = [desk.channelId, shopId];
    for (const [index, last] of [[desk.channelId], wide, [desk.channelId]].entries()) {
      await scopeTo(member, wide);
      await scopeTo(member, [desk.channelId]);
      await scopeTo(member, index % 2 === 0 ? wide : [desk.channelId]);
      await race(last, random);
      await eventually(() => (haveAllJoined(last) ? true : undefined));
      expect(await countReceivingShop(sockets)).toBe(last.includes(shopId) ? 2 * SOCKETS : 0);
    }
  });

  /** @returns true if each socket of the member is in the topics of exactly these channels */
  function haveAllJoined(channels: string[]): boolean {
    const expected = channels.map(id => `channel:${id}`).sort();
    return [here, there].every(world =>
      [...world.app.app.get(SocketHub).connections]
        .filter(({ principal }) => principal.kind === 'agent' && principal.memberId === member.memberId)
        .every(({ topics }) => {
          const joined = [...topics].filter(topic => /^(channel|inbox):/.test(topic)).sort();
          return JSON.stringify(joined) === JSON.stringify(expected);
        }),
    );
  }
});

describe('A socket that sends `auth`', () => {
  /** Delays the result of this instance's next `authenticate` after the database read, until `go` is called. */
  function delayNextRead(world: World): { read: Promise<void>; go: () => void } {
    const authenticator = world.app.app.get(Authenticator);
    const original = authenticator.authenticate.bind(authenticator);
    let go = () => {};
    let reportRead = () => {};
    const delayed = new Promise<void>(resolve => (go = resolve));
    const read = new Promise<void>(resolve => (reportRead = resolve));
    jest.spyOn(authenticator, 'authenticate').mockImplementationOnce(async (...args) => {
      const principal = await original(...args);
      reportRead();
      await delayed;
      return principal;
    });
    return { read, go };
  }

  it.each([
    ['loses a channel that was removed', [true, false]],
    ['gets a channel that was added', [false, true]],
  ])('A socket that sends `auth` %s after its token was read', async (_change, [before, after]) => {
    const scope = (withShop: boolean | undefined) => (withShop ? [desk.channelId, shopId] : [desk.channelId]);
    const member = await here.colleague(desk, { channel_ids: scope(before) });
    const socket = await there.agentSocket(member);
    const { read, go } = delayNextRead(there);
    socket.send({ type: 'auth', token: member.token });
    await read;
    await scopeTo(member, scope(after));
    await socket.next('member.updated');
    go();
    await socket.next('authenticated');
    expect(await countReceivingShop([socket])).toBe(after ? 1 : 0);
    // Frames on the socket are authorised by this principal.
    const [connection] = [...there.app.app.get(SocketHub).connections].slice(-1);
    const { principal } = connection ?? {};
    expect(principal?.kind === 'agent' && [...(principal.scope ?? [])].sort()).toEqual(scope(after).sort());
  });

  it('A conversation’s socket that sends `auth` after losing its channel closes with 4502', async () => {
    const member = await here.colleague(desk, { channel_ids: [desk.channelId, shopId] });
    const { id } = await here.conversation(buyer);
    const socket = await there.agentSocket(member, { room: id as string });
    await scopeTo(member, [desk.channelId]);
    socket.send({ type: 'auth', token: member.token });
    expect((await socket.end()).code).toBe(4502);
  });

  it('A socket that closes while its `auth` is handled leaves no topics in the hub', async () => {
    const member = await here.colleague(desk);
    const socket = await there.agentSocket(member);
    const hub = there.app.app.get(SocketHub);
    const [connection] = [...hub.connections].slice(-1);
    const again = here.agentOf(
      (await here.anyone.post('/v1/auth/login', { email: member.email, password: 'correct horse battery' })).data,
      member.email,
    );
    const { read, go } = delayNextRead(there);
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

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/json.js';
import type { Frame, TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const TTL_MS = 2_000;
const GRACE_MS = 300;
const CART = { url: 'https://shop.example/cart', title: 'Your cart' };
const SHOWN_CART = { ...CART, referrer: null };

let world: World;
let desk: Desk;
let visitor: Visitor;
let page: TestSocket;
let conversation: string;
beforeAll(async () => {
  world = await World.start({
    WS_PRESENCE_TTL_MS: String(TTL_MS),
    WS_PRESENCE_GRACE_MS: String(GRACE_MS),
    WS_PING_INTERVAL_MS: '200',
  });
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  visitor = await world.visitor(desk);
  page = await world.visitorSocket(visitor);
  conversation = (await world.conversation(visitor)).id as string;
});

const openRoom = (id = conversation) => world.agentSocket(desk.owner, { room: id });
const report = (fields: object = CART, socket = page) => socket.send({ type: 'page', ...fields });
const pages = (socket: TestSocket): Json[] => socket.of('visitor.page').map(({ data }) => data.page as Json);
/** Waits for `count` pages. */
async function received(socket: TestSocket, count: number): Promise<Json[]> {
  await socket.next('visitor.page', () => pages(socket).length >= count);
  return pages(socket);
}
async function view(socket: TestSocket, id: string | null): Promise<void> {
  socket.send({ type: 'viewing', conversation_id: id });
  await socket.settled();
}
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe("A visitor's page", () => {
  it("The conversation's room and the sockets that view it receive the page; inboxes and visitors do not", async () => {
    const room = await openRoom();
    const viewer = await world.agentSocket(desk.owner);
    const inbox = await world.agentSocket(desk.owner);
    await view(viewer, conversation);
    report();
    for (const socket of [room, viewer]) {
      const frame: Frame = await socket.next('visitor.page');
      const at: unknown = expect.stringMatching(/^\d{4}-/);
      const data = { conversation_id: conversation, contact_id: visitor.contactId, page: SHOWN_CART, at };
      expect(frame).toEqual({
        type: 'visitor.page',
        conversation_id: conversation,
        channel_id: desk.channelId,
        data,
      });
    }
    for (const socket of [inbox, page]) {
      await socket.settled();
      expect(pages(socket)).toEqual([]);
    }
  });

  it('A socket in the room that also views the conversation receives each page once', async () => {
    const room = await openRoom();
    await view(room, conversation);
    report();
    await received(room, 1);
    await room.settled();
    expect(pages(room)).toHaveLength(1);
    await view(room, null);
    await pause(2_000);
    report({ url: 'https://shop.example/2' });
    expect(await received(room, 2)).toHaveLength(2);
  });

  it('Who joins later receives the present page', async () => {
    report();
    await page.settled();
    const room = await openRoom();
    expect(await received(room, 1)).toEqual([SHOWN_CART]);
    const viewer = await world.agentSocket(desk.owner);
    await view(viewer, conversation);
    expect(pages(viewer)).toEqual([SHOWN_CART]);
  });

  it('A socket that stops viewing, or views another conversation, receives no more pages', async () => {
    const other = (await world.conversation(await world.visitor(desk))).id as string;
    const [stopped, moved] = [await world.agentSocket(desk.owner), await world.agentSocket(desk.owner)];
    for (const socket of [stopped, moved]) await view(socket, conversation);
    await view(stopped, null);
    await view(moved, other);
    const room = await openRoom();
    report();
    await received(room, 1);
    for (const socket of [stopped, moved]) {
      await socket.settled();
      expect(pages(socket)).toEqual([]);
    }
  });

  it('More than one page in two seconds is dropped in silence, and so is what is no page', async () => {
    const room = await openRoom();
    for (const url of ['javascript:alert(1)', '', 7, undefined, null]) report({ url });
    report();
    for (let number = 0; number < 5; number += 1) report({ url: `https://shop.example/${number}` });
    await page.settled();
    expect(page.of('error')).toEqual([]);
    expect(await received(room, 1)).toEqual([SHOWN_CART]);
    await pause(2_000);
    report({ url: 'https://shop.example/next' });
    expect((await received(room, 2))[1]).toMatchObject({ url: 'https://shop.example/next', title: null });
  });

  it('The same page again is no news', async () => {
    const room = await openRoom();
    report();
    await received(room, 1);
    await pause(2_000);
    report();
    await page.settled();
    await room.settled();
    expect(pages(room)).toHaveLength(1);
  });

  it('Agents cannot send page (frame_unknown)', async () => {
    const inbox = await world.agentSocket(desk.owner);
    report(CART, inbox);
    expect((await inbox.next('error')).error?.code).toBe('frame_unknown');
  });

  it("A page shows no secret of the URL, and the query parameters of the channel's kept_query_params", async () => {
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { kept_query_params: ['product'] });
    const room = await openRoom();
    report({ url: 'https://ada:pw@shop.example/?product=7&session=secret#top' });
    expect((await received(room, 1))[0]?.url).toBe('https://shop.example/?product=7');
  });

  it('The page of a session is shown before the visitor has a socket, and with its referrer', async () => {
    const body = { widget_token: desk.widgetToken, page: { ...CART, referrer: 'https://search.example/?q=x' } };
    const { data } = await world.anyone.post('/v1/widget/session', body);
    const other = { ...visitor, api: world.as(data.visitor_token as string) };
    const id = (await world.conversation(other)).id as string;
    expect(await received(await openRoom(id), 1)).toEqual([{ ...CART, referrer: 'https://search.example' }]);
  });

  it('The page of a started conversation is shown, and every conversation of the visitor on the channel shows it', async () => {
    await desk.owner.api.patch(`/v1/channels/${desk.channelId}`, { single_conversation: false });
    const room = await openRoom();
    const body = { message: { content: 'Hello?' }, page: CART };
    const { id } = (await visitor.api.post('/v1/widget/conversations', body)).data.conversation as Json;
    expect(await received(room, 1)).toEqual([SHOWN_CART]);
    expect(await received(await openRoom(id as string), 1)).toEqual([SHOWN_CART]);
  });

  it('A page on one channel is not shown in conversations of another channel', async () => {
    const shop = await world.channel(desk);
    const external_id = `user ${conversation}`;
    const here = await world.visitor(desk, { external_id });
    const there = await world.visitor({ widgetToken: shop.widget_token as string }, { external_id });
    expect(there.contactId).toBe(here.contactId);
    const [hereId, thereId] = [(await world.conversation(here)).id as string, (await world.conversation(there)).id];
    const [hereRoom, thereRoom] = [await openRoom(hereId), await openRoom(thereId as string)];
    report(CART, await world.visitorSocket(here));
    await received(hereRoom, 1);
    await thereRoom.settled();
    expect(pages(thereRoom)).toEqual([]);
  });
});

describe('The end of a page', () => {
  it('The page is gone when the visitor is offline, and viewers are told so', async () => {
    const room = await openRoom();
    report();
    await received(room, 1);
    await page.close();
    expect(await received(room, 2)).toEqual([SHOWN_CART, null]);
    const late = await openRoom();
    await late.settled();
    expect(pages(late)).toEqual([]);
  });

  it('The page stays while the visitor reloads it', async () => {
    const room = await openRoom();
    report();
    await received(room, 1);
    await page.close();
    const again = await world.visitorSocket(visitor);
    report(CART, again);
    await pause(2 * GRACE_MS);
    await again.settled();
    await room.settled();
    expect(pages(room)).toEqual([SHOWN_CART]);
  });

  it('The page of a session without a socket is gone after the time to live of presence', async () => {
    const other = await world.visitor(desk, { page: CART });
    const room = await openRoom((await world.conversation(other)).id as string);
    expect(await received(room, 2)).toEqual([SHOWN_CART, null]);
  });

  it('The page of an erased contact is gone at once, and nothing of it is in the database', async () => {
    const room = await openRoom();
    report({ url: 'https://shop.example/zaphod-page' });
    await received(room, 1);
    await desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`);
    expect((await received(room, 2))[1]).toBeNull();
    const late = await openRoom();
    await late.settled();
    expect(pages(late)).toEqual([]);
    const stored = await world.app.database.query(`SELECT FROM event WHERE payload::text LIKE '%zaphod-page%'`);
    expect(stored).toEqual([]);
  });

  it('Viewers of a merged contact’s conversation see the page of the contact that remains', async () => {
    const remaining = await world.visitor(desk);
    const remainingPage = await world.visitorSocket(remaining);
    report({ url: 'https://shop.example/remaining' }, remainingPage);
    report();
    await remainingPage.settled();
    await page.settled();
    const room = await openRoom();
    expect(await received(room, 1)).toEqual([SHOWN_CART]);
    await desk.owner.api.post(`/v1/contacts/${remaining.contactId}/merge`, { from_id: visitor.contactId });
    const shown = await room.next('visitor.page', ({ data }) => data.contact_id === remaining.contactId);
    expect(shown.data.page.url).toBe('https://shop.example/remaining');
  });
});

describe('Access to pages', () => {
  it('An agent that loses access to the channel receives no more pages', async () => {
    const shop = await world.channel(desk);
    const ada = await world.colleague(desk);
    const [viewer, room] = [await world.agentSocket(ada), await world.agentSocket(ada, { room: conversation })];
    await view(viewer, conversation);
    const ours = await openRoom();
    await desk.owner.api.patch(`/v1/workspace/members/${ada.memberId}`, { channel_ids: [shop.id] });
    await room.end();
    report();
    await received(ours, 1);
    await viewer.settled();
    expect(pages(viewer)).toEqual([]);
    expect(pages(room)).toEqual([]);
  });

  it('Viewing a conversation that the agent may not see shows no page (not_found)', async () => {
    report();
    await page.settled();
    const shop = await world.channel(desk);
    const scoped = await world.agentSocket(await world.colleague(desk, { channel_ids: [shop.id as string] }));
    const stranger = await world.agentSocket((await world.desk()).owner);
    for (const socket of [scoped, stranger]) {
      socket.send({ type: 'viewing', conversation_id: conversation });
      expect((await socket.next('error')).error?.code).toBe('not_found');
      await socket.settled();
      expect(pages(socket)).toEqual([]);
    }
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/json.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
const CART = { url: 'https://shop.example/cart', title: 'Your cart', referrer: 'https://search.example/find?q=x' };
const SHOWN_CART = { ...CART, referrer: 'https://search.example' };

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
});

const start = (visitor: Visitor, more: object = {}, userAgent = FIREFOX) =>
  visitor.api.post(
    '/v1/widget/conversations',
    { message: { content: 'Hello?' }, ...more },
    { 'User-Agent': userAgent },
  );
const read = async (id: string): Promise<Json> => (await desk.owner.api.get(`/v1/conversations/${id}`)).data as Json;
async function contextOf(visitor: Visitor, more: object = {}, userAgent?: string): Promise<Json> {
  const { data } = await start(visitor, more, userAgent);
  return (await read(data.conversation.id as string)).context as Json;
}
const configure = (settings: object) => desk.owner.api.patch(`/v1/channels/${desk.channelId}`, settings);

describe('The context of a conversation', () => {
  it('Agents see the page, language, time zone, browser, system and device with which a conversation began', async () => {
    const visitor = await world.visitor(desk, { locale: 'de', timezone: 'Europe/Berlin' });
    expect(await contextOf(visitor, { page: CART })).toEqual({
      page: SHOWN_CART,
      locale: 'de',
      timezone: 'Europe/Berlin',
      browser: 'Firefox 128',
      os: 'Windows 10',
      device: 'desktop',
    });
  });

  it('A client that tells nothing of itself starts a conversation with an empty context', async () => {
    const none = { page: null, locale: null, timezone: null, browser: null, os: null, device: null };
    expect(await contextOf(await world.visitor(desk), {}, '')).toEqual(none);
  });

  it('The page of the session is the page of the conversation if its start names none', async () => {
    const visitor = await world.visitor(desk, { page: CART });
    expect((await contextOf(visitor)).page).toEqual(SHOWN_CART);
  });

  it('The context is in lists and in conversation.created, the same as in the conversation', async () => {
    const inbox = await world.agentSocket(desk.owner);
    const visitor = await world.visitor(desk);
    const { id } = (await start(visitor, { page: CART })).data.conversation as Json;
    const { context } = await read(id as string);
    expect(context).toMatchObject({ page: SHOWN_CART });
    const [listed] = (await desk.owner.api.get('/v1/conversations')).data.items as Json[];
    expect(listed?.context).toEqual(context);
    expect((await inbox.next('conversation.created')).data.conversation.context).toEqual(context);
  });

  it('Visitors never see the context, neither over REST nor on their sockets', async () => {
    const visitor = await world.visitor(desk);
    const socket = await world.visitorSocket(visitor);
    const { data } = await start(visitor, { page: CART });
    const created = await socket.next('conversation.created');
    const again = await visitor.api.get(`/v1/widget/conversations/${data.conversation.id}`);
    for (const seen of [data, created, again.body]) {
      expect(JSON.stringify(seen)).not.toMatch(/context|shop\.example|Firefox/);
    }
  });

  it('A conversation keeps the context of its start', async () => {
    const visitor = await world.visitor(desk);
    const { id } = (await start(visitor, { page: CART })).data.conversation as Json;
    await start(visitor, { page: { url: 'https://shop.example/other' } }, 'curl/8.1');
    expect((await read(id as string)).context).toMatchObject({ page: SHOWN_CART, browser: 'Firefox 128' });
  });

  it('A message past the reopen window starts a conversation with a context of its own', async () => {
    await configure({ reopen_window_hours: 0 });
    const visitor = await world.visitor(desk, { locale: 'de' });
    const { id } = (await start(visitor)).data.conversation as Json;
    await desk.owner.api.post(`/v1/conversations/${id}/resolve`);
    const path = `/v1/widget/conversations/${id}/messages`;
    const sent = await visitor.api.post(path, { content: 'Again' }, { 'User-Agent': FIREFOX });
    expect(sent.data.conversation_id).not.toBe(id);
    const { context } = await read(sent.data.conversation_id as string);
    expect(context).toMatchObject({ locale: 'de', browser: 'Firefox 128' });
  });

  it('A conversation that an agent starts has no context and no answers', async () => {
    const { contactId } = await world.visitor(desk, { page: CART });
    const body = { contact_id: contactId, channel_id: desk.channelId, message: { content: 'Hello!' } };
    const { data } = await desk.owner.api.post('/v1/conversations', body, { 'User-Agent': FIREFOX });
    expect([data.context, data.pre_chat]).toEqual([null, null]);
  });

  it("No page of a visitor shows more of its query than the channel's kept_query_params", async () => {
    const secret = { url: 'https://ada:pw@shop.example/?product=7&session=secret#top' };
    expect((await contextOf(await world.visitor(desk), { page: secret })).page.url).toBe('https://shop.example/');
    const channel = await configure({ kept_query_params: ['product', 'product'] });
    expect(channel.data.kept_query_params).toEqual(['product']);
    const { page } = await contextOf(await world.visitor(desk), { page: secret });
    expect(page.url).toBe('https://shop.example/?product=7');
  });

  it('A channel keeps at most 20 query parameters (400)', async () => {
    const names = Array.from({ length: 21 }, (_none, index) => `p${index}`);
    expect((await configure({ kept_query_params: names })).status).toBe(400);
    expect((await configure({ kept_query_params: names.slice(1) })).data.kept_query_params).toHaveLength(20);
    expect((await configure({ kept_query_params: [] })).data.kept_query_params).toEqual([]);
  });

  it.each([
    ['a script', { url: 'javascript:alert(1)' }],
    ['a URL that is too long', { url: `https://shop.example/${'a'.repeat(3_000)}` }],
    ['a URL that is no text', { url: 7, title: {}, referrer: [] }],
    ['a text', 'https://shop.example/'],
    ['a number', 7],
    ['null', null],
    ['a list', [CART]],
  ])('A page that is %s hinders neither a session nor a conversation, and is dropped', async (_name, page) => {
    const visitor = await world.visitor(desk, { page });
    const started = await start(visitor, { page });
    expect(started.status).toBe(201);
    expect((await read(started.data.conversation.id as string)).context.page).toBeNull();
  });

  it('An unknown time zone of a session is refused (400)', async () => {
    const body = { widget_token: desk.widgetToken, timezone: 'Mars/Olympus' };
    const { status, error } = await world.anyone.post('/v1/widget/session', body);
    expect([status, error.details?.[0]?.field]).toEqual([400, 'timezone']);
  });
});

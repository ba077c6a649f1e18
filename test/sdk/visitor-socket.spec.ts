import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { VisitorClient, type VisitedPage, type VisitorSocket } from '../../clients/sdk/src/index.js';
import { eventually } from '../support/eventually.js';
import { FakeService, ok } from './fake-service.js';

const CART = { url: 'https://shop.example/cart', title: 'Your cart' };
const ORDER = { url: 'https://shop.example/order', title: 'Your order' };

let service: FakeService;
let socket: VisitorSocket | undefined;
/** The frames that the service received, of all connections. */
let frames: { type: string }[];
beforeEach(async () => {
  service = await FakeService.start();
  service.on('POST /v1/widget/session', () => ok({ visitor_token: 'v1', contact_id: 'contact' }));
  service.on('POST /v1/widget/conversations', () => ok({}, 201));
  frames = [];
  service.onSocket = (wire: WebSocket) =>
    void wire.on('message', data => frames.push(JSON.parse(String(data)) as { type: string }));
});
afterEach(async () => {
  socket?.close();
  await service.stop();
});

const start = (page?: () => VisitedPage | undefined) =>
  VisitorClient.start({ baseUrl: service.baseUrl, widgetToken: 'wt_1', page });
async function open(page?: () => VisitedPage | undefined): Promise<VisitorSocket> {
  socket = (await start(page)).live({ random: () => 0 });
  await socket.open();
  return socket;
}
const reported = (count: number) => eventually(() => (frames.length >= count ? frames : undefined));

describe('The page of a visitor', () => {
  it('The visitor client sends the page with the session and with a conversation that it starts', async () => {
    const page = { ...CART, referrer: 'https://search.example/' };
    const visitor = await start(() => page);
    await visitor.startConversation('Hello?', { order_number: '4711', terms: true });
    expect(service.requests.map(({ body }) => body['page'])).toEqual([page, page]);
    expect(service.requests[1]!.body['pre_chat']).toEqual({ order_number: '4711', terms: true });
  });

  it('The visitor client sends the address, title and referrer of the browser’s page', async () => {
    const browser = { document: { title: 'Your cart', referrer: '' }, location: { href: CART.url } };
    Object.assign(globalThis, browser);
    try {
      await start();
    } finally {
      for (const name of Object.keys(browser)) Reflect.deleteProperty(globalThis, name);
    }
    expect(service.requests[0]!.body['page']).toEqual(CART);
  });

  it('The visitor client sends no page outside of a browser, or if the page gives none', async () => {
    for (const page of [undefined, () => undefined]) {
      await (await start(page)).startConversation('Hello?');
      const open = (await start(page)).live();
      await open.open();
      open.reportPage();
      open.close();
    }
    for (const { body } of service.requests) expect(body).not.toHaveProperty('page');
    expect(frames).toEqual([]);
  });

  it('The visitor socket reports the page with each connection', async () => {
    const opened = await open(() => CART);
    expect(await reported(1)).toEqual([{ type: 'page', ...CART }]);
    const again = opened.waitFor('connected');
    (await service.nextSocket()).terminate();
    await again;
    expect(await reported(2)).toEqual([
      { type: 'page', ...CART },
      { type: 'page', ...CART },
    ]);
  });

  it('Of frequent navigations the visitor socket reports the last one, after the service’s interval', async () => {
    let page = CART;
    const opened = await open(() => page);
    await reported(1);
    const startedAt = Date.now();
    for (const number of [1, 2, 3]) opened.reportPage({ url: `https://shop.example/${number}` });
    page = ORDER;
    opened.reportPage();
    expect(await reported(2)).toEqual([
      { type: 'page', ...CART },
      { type: 'page', ...ORDER },
    ]);
    expect(Date.now() - startedAt).toBeGreaterThan(1_500);
  });

  it('The visitor socket reports a page that was given before its connection', async () => {
    socket = (await start()).live();
    socket.reportPage(ORDER);
    await socket.open();
    expect(await reported(1)).toEqual([{ type: 'page', ...ORDER }]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import type { Json } from '../support/json.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import type { TestSocket } from '../support/socket.js';
import type { Desk, Visitor } from '../support/world.js';
import { World } from '../support/world.js';

const CART = { url: 'https://shop.example/cart', title: 'Your cart' };
const TIMES = { WS_PRESENCE_TTL_MS: '3000', WS_PRESENCE_GRACE_MS: '500', WS_PING_INTERVAL_MS: '300' };

(hasRedis ? describe : describe.skip)('Pages of visitors on instances that share a Redis', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let here: World;
  let there: World;
  let desk: Desk;
  let visitor: Visitor;
  let conversation: string;
  beforeAll(async () => {
    redis = await RedisServer.start();
    database = await cloneDatabase();
    const env = { ...TIMES, REDIS_URL: redis.url };
    [here, there] = [await World.start(env, { database }), await World.start(env, { database })];
    desk = await here.desk();
  });
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await database.drop();
    await redis.kill();
  });
  beforeEach(async () => {
    visitor = await here.visitor(desk);
    conversation = (await here.conversation(visitor)).id as string;
  });

  const openRoom = (world: World) => world.agentSocket(desk.owner, { room: conversation });
  const pages = (socket: TestSocket) => socket.of('visitor.page').map(({ data }) => data.page as Json);
  async function received(socket: TestSocket, count: number): Promise<(string | undefined)[]> {
    await socket.next('visitor.page', () => pages(socket).length >= count, 10_000);
    return pages(socket).map(page => page?.url as string | undefined);
  }

  it('A page that is reported to one instance is shown on all, also to who joins later, until the visitor leaves', async () => {
    const rooms = [await openRoom(here), await openRoom(there)] as const;
    const page = await there.visitorSocket(visitor);
    page.send({ type: 'page', ...CART });
    for (const room of rooms) expect(await received(room, 1)).toEqual([CART.url]);
    const late = await openRoom(here);
    expect(await received(late, 1)).toEqual([CART.url]);
    await page.close();
    for (const room of [...rooms, late]) expect(await received(room, 2)).toEqual([CART.url, undefined]);
  });

  it('The page of a session on one instance stays while the visitor is connected to another, and its next page replaces it', async () => {
    const other = await here.visitor(desk, { page: CART });
    conversation = (await here.conversation(other)).id as string;
    const page = await there.visitorSocket(other);
    const room = await openRoom(there);
    expect(await received(room, 1)).toEqual([CART.url]);
    // longer than a page of a visitor without a socket stays
    for (let round = 0; round < 8; round += 1) {
      await new Promise(resolve => setTimeout(resolve, 800));
      await page.settled();
    }
    expect(pages(room)).toHaveLength(1);
    page.send({ type: 'page', url: 'https://shop.example/2' });
    expect(await received(room, 2)).toEqual([CART.url, 'https://shop.example/2']);
    expect(await received(await openRoom(here), 1)).toEqual(['https://shop.example/2']);
  });

  it('The page of an erased contact is gone on every instance', async () => {
    const rooms = [await openRoom(here), await openRoom(there)];
    const page = await there.visitorSocket(visitor);
    page.send({ type: 'page', ...CART });
    for (const room of rooms) await received(room, 1);
    await here.as(desk.owner.token).delete(`/v1/contacts/${visitor.contactId}`);
    for (const room of rooms) expect(await received(room, 2)).toEqual([CART.url, undefined]);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { RoutedBot } from './bot-server.js';
import { BotServer, routeToBot } from './bot-server.js';
import type { Json } from './json.js';
import { LOCAL_WEBHOOKS } from './webhook-receiver.js';
import type { Desk, Visitor } from './world.js';
import { World } from './world.js';

/** Like `desk-for-each`, with a bot that the desk's channel is routed to, its server, and a visitor. */
export let world: World;
export let desk: Desk;
export let server: BotServer;
export let bot: RoutedBot;
export let visitor: Visitor;

beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS);
});
afterEach(async () => {
  world.app.clock.reset();
  await server.receiver.stop();
});
afterAll(() => world.stop());

beforeEach(async () => {
  desk = await world.desk();
  server = await BotServer.start();
  bot = await routeToBot(world, desk, server);
  visitor = await world.visitor(desk, { name: 'Vera' });
});

export const startConversation = (content = 'Where is my parcel?'): Promise<Json> =>
  world.conversation(visitor, content);

export async function readConversation(id: string): Promise<Json> {
  return (await desk.owner.api.get(`/v1/conversations/${id}`)).data;
}

export async function readMessages(id: string): Promise<Json[]> {
  return (await desk.owner.api.get(`/v1/conversations/${id}/messages`)).data.items;
}

export async function messagesByBot(id: string): Promise<Json[]> {
  return (await readMessages(id)).filter(({ sender_id }) => sender_id === bot.id);
}

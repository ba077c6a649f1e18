import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { eventually } from './eventually.js';
import type { Answer, Caller } from './http.js';
import type { Json } from './json.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from './webhook-receiver.js';
import type { Desk } from './world.js';
import { World } from './world.js';

/** Like `desk-for-each`, with a receiver of webhooks and a key. */
export let world: World;
export let desk: Desk;
/** Does not expire when a test moves the clock. */
export let key: Caller;
export let receiver: WebhookReceiver;
const receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  world = await World.start(LOCAL_WEBHOOKS);
});
afterAll(() => world.stop());
beforeEach(async () => {
  desk = await world.desk();
  key = await world.apiKey(desk);
  receiver = await newReceiver();
});
afterEach(async () => {
  world.app.clock.reset();
  const unsigned = receivers.flatMap(one => one.unsigned);
  await Promise.all(receivers.splice(0).map(one => one.stop()));
  expect(unsigned).toEqual([]);
});

export async function newReceiver(): Promise<WebhookReceiver> {
  const made = await WebhookReceiver.start();
  receivers.push(made);
  return made;
}

export async function newWebhook(to: WebhookReceiver, events: string[], body: object = {}): Promise<string> {
  const made = await desk.owner.api.post('/v1/webhooks', { url: to.url, events, ...body });
  expect(made.status).toBe(201);
  to.secrets.push(made.data.secret as string);
  return made.data.id;
}

export async function deliveriesOf(webhook: string, query = ''): Promise<Json[]> {
  return (await key.get(`/v1/webhooks/${webhook}/deliveries?limit=200${query}`)).data.items;
}

/** Waits until the deliveries of a webhook satisfy the test. */
export function deliveriesWhen(webhook: string, test: (deliveries: Json[]) => boolean, ms?: number): Promise<Json[]> {
  const probe = async () => {
    const found = await deliveriesOf(webhook);
    return test(found) ? found : undefined;
  };
  return eventually(probe, ms, () => deliveriesOf(webhook));
}

export const isAttempted = (deliveries: Json[], times = 1): boolean =>
  deliveries.length > 0 && deliveries.every(({ attempts }) => attempts.length === times);

export async function sendAs(visitor: { api: World['anyone'] }, conversation: Json, content: string): Promise<Json> {
  return (await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content })).data;
}

export function answer(conversation: Json, content: string, more: object = {}): Promise<Json> {
  const body = { content, member_id: desk.owner.memberId, ...more };
  return key.post(`/v1/conversations/${conversation.id}/messages`, body).then(({ data }) => data);
}

/** Replays the events of the last hour. */
export function replay(webhook: string, body: object = {}): Promise<Answer<Json>> {
  const to = new Date(Date.now() + 60_000).toISOString();
  const from = new Date(Date.now() - 3_600_000).toISOString();
  return desk.owner.api.post(`/v1/webhooks/${webhook}/replay`, { from, to, ...body });
}

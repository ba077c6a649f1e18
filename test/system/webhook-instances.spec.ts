import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { dedicatedDatabase } from '../support/dedicated-database.js';
import { TwoInstances } from '../support/two-instances.js';
import { LOCAL_WEBHOOKS, WebhookReceiver } from '../support/webhook-receiver.js';
import { World } from '../support/world.js';

const CONVERSATIONS = 4;
const MESSAGES = 15;

let both: TwoInstances;
let receiver: WebhookReceiver;
beforeAll(async () => {
  both = await TwoInstances.start(LOCAL_WEBHOOKS);
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await both.stop();
});

describe('Two instances', () => {
  it('Two instances deliver each event, and first attempts of a conversation are in order.', async () => {
    const [one, other] = both.worlds;
    const desk = await one.desk();
    const made = await desk.owner.api.post('/v1/webhooks', { url: receiver.url, events: ['message.created'] });
    receiver.secrets.push(made.data.secret as string);
    const visitors = await Promise.all(Array.from({ length: CONVERSATIONS }, () => one.visitor(desk)));
    const conversations = await Promise.all(visitors.map(visitor => one.conversation(visitor, '0')));
    const sendAll = async (at: number): Promise<void> => {
      const path = `/v1/widget/conversations/${conversations[at]!.id}/messages`;
      for (let index = 1; index < MESSAGES; index += 1) {
        const caller = (index % 2 === 0 ? one : other).as(visitors[at]!.token);
        const sent = await caller.post(path, { content: String(index) });
        expect(sent.status).toBe(201);
      }
    };
    await Promise.all(conversations.map((_conversation, at) => sendAll(at)));
    const ids = () => new Set(receiver.received.map(({ id }) => id));
    await eventually(() => (ids().size === CONVERSATIONS * MESSAGES ? true : undefined), 20_000);
    const expected = Array.from({ length: MESSAGES }, (_nothing, index) => String(index));
    for (const { id } of conversations) {
      const own = receiver.received.filter(({ body }) => body.data.message.conversation_id === id);
      const firsts = own.filter((delivery, index) => own.findIndex(({ id }) => id === delivery.id) === index);
      expect(firsts.map(({ body }) => body.data.message.content as string)).toEqual(expected);
    }
    expect(receiver.unsigned).toEqual([]);
    await eventually(async () => {
      const { items } = (await desk.owner.api.get(`/v1/webhooks/${made.data.id}/deliveries?limit=200`)).data;
      return (items as Json[]).every(({ status }) => status === 'delivered') ? true : undefined;
    });
  });

  it('When an instance stops, the other one delivers what is pending.', async () => {
    const [one, other] = both.worlds;
    const desk = await one.desk();
    const made = await desk.owner.api.post('/v1/webhooks', { url: receiver.url, events: ['message.created'] });
    receiver.secrets.push(made.data.secret as string);
    receiver.received.length = 0;
    const visitor = await one.visitor(desk);
    const conversation = await one.conversation(visitor, '0');
    const path = `/v1/widget/conversations/${conversation.id}/messages`;
    await receiver.until(1);
    for (let index = 1; index < 10; index += 1) await other.as(visitor.token).post(path, { content: String(index) });
    await one.stop();
    await eventually(() => (new Set(receiver.received.map(({ id }) => id)).size === 10 ? true : undefined), 20_000);
    const contents = [...new Map(receiver.received.map(({ id, body }) => [id, body.data.message.content as string]))];
    expect(contents.map(([, content]) => content)).toEqual([...'0123456789']);
  });
});

describe('A graceful stop', () => {
  it('An attempt that a graceful stop cuts off is not counted, and the next instance repeats it at once.', async () => {
    const database = await dedicatedDatabase();
    const first = await World.start(LOCAL_WEBHOOKS, { database });
    const silent = await WebhookReceiver.start();
    silent.respond = () => undefined;
    const desk = await first.desk();
    const made = await desk.owner.api.post('/v1/webhooks', { url: silent.url, events: ['message.created'] });
    silent.secrets.push(made.data.secret as string);
    await first.conversation(await first.visitor(desk));
    await silent.until(1);
    await first.stop();
    const row = 'SELECT status, attempts, attempt_count, lane FROM webhook_delivery';
    expect(await database.query(row)).toEqual([{ status: 'pending', attempts: [], attempt_count: 0, lane: 'live' }]);
    expect(await database.query('SELECT lease FROM webhook')).toEqual([{ lease: null }]);
    silent.respond = (_delivery, response) => void response.writeHead(200).end();
    const next = await World.start(LOCAL_WEBHOOKS, { database });
    const [before, after] = await silent.until(2);
    expect(after!.id).toBe(before!.id);
    await eventually(async () => {
      const [{ status, attempts } = {}] = await database.query<{ status: string; attempts: Json[] }>(row);
      return status === 'delivered' && attempts?.length === 1 ? true : undefined;
    });
    expect(silent.unsigned).toEqual([]);
    await next.stop();
    await silent.stop();
    await database.drop();
  });
});

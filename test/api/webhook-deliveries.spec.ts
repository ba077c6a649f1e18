import { describe, expect, it, jest } from '@jest/globals';
import type { RecordedEvent } from '../../src/kernel/domain-event.js';
import { WebhooksConsumer } from '../../src/modules/webhooks/webhooks.consumer.js';
import { pauseConsumer } from '../support/blocking-transaction.js';
import { consumed } from '../support/consumed.js';
import {
  answer,
  deliveriesOf,
  deliveriesWhen,
  desk,
  isAttempted,
  key,
  newReceiver,
  newWebhook,
  receiver,
  replay,
  sendAs,
  world,
} from '../support/desk-with-webhooks.js';
import { eventually } from '../support/eventually.js';
import { uploadAsVisitor } from '../support/files.js';
import type { Json } from '../support/json.js';
import { countsOf } from '../support/race.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { isSigned } from '../support/webhook-receiver.js';

describe('Delivery', () => {
  it('An endpoint receives a signed event with id, type, time, workspace, cursor and the data of agents.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'Where is my parcel?');
    const [delivery] = await receiver.until(1);
    const events = (await key.get('/v1/events?limit=200')).data.items as Json[];
    const event = events.find(({ type }) => type === 'message.created') as Json;
    expect(delivery!.body).toEqual({
      id: event.id,
      type: 'message.created',
      timestamp: event.timestamp,
      workspace_id: desk.workspaceId,
      cursor: expect.any(String),
      data: event.data,
    });
    expect(delivery!.id).toBe(event.id);
    const [made] = await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
    expect(made).toEqual({
      id: expect.any(String),
      event_id: event.id,
      event: 'message.created',
      conversation_id: conversation.id,
      status: 'delivered',
      attempts: [{ at: expect.any(String), status: 200, latency_ms: expect.any(Number) }],
      next_attempt_at: null,
      created_at: expect.any(String),
    });
    const { last_success_at } = (await key.get(`/v1/webhooks/${webhook}`)).data;
    expect(last_success_at).toEqual(expect.any(String));
  });

  it('The cursor of a delivery continues the event log after that event.', async () => {
    await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor);
    const [first] = await receiver.until(1);
    const second = await sendAs(visitor, conversation, 'second');
    const after = `/v1/events?after=${first!.body.cursor}&limit=200`;
    const ids = await eventually(async () => {
      const { items } = (await key.get(after)).data;
      const found = (items as Json[]).map(({ data }) => data.message?.id as string | undefined);
      return found.includes(second.id) ? found : undefined;
    });
    expect(ids).toContain(second.id);
  });

  it('Messages of a conversation arrive in order, each once, while other conversations overtake them.', async () => {
    await newWebhook(receiver, ['message.created']);
    const visitors = await Promise.all([1, 2, 3].map(() => world.visitor(desk)));
    const conversations = await Promise.all(visitors.map(visitor => world.conversation(visitor, '0')));
    for (let index = 1; index < 8; index += 1)
      await Promise.all(visitors.map((visitor, at) => sendAs(visitor, conversations[at]!, String(index))));
    await receiver.until(24, 15_000);
    for (const { id } of conversations) {
      const own = receiver.received.filter(({ body }) => body.data.message.conversation_id === id);
      expect(own.map(({ body }) => body.data.message.content as string)).toEqual([...'01234567']);
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(24);
  });

  it('A slow conversation delays only its own events.', async () => {
    await newWebhook(receiver, ['message.created']);
    let release = (): void => undefined;
    const released = new Promise<void>(resolve => (release = resolve));
    receiver.respond = async ({ body }, response) => {
      if (body.data.message.content === 'slow') await released;
      response.writeHead(200).end();
    };
    const [one, other] = await Promise.all([world.visitor(desk), world.visitor(desk)]);
    const conversation = await world.conversation(one, 'slow');
    await receiver.until(1);
    await sendAs(one, conversation, 'behind');
    await world.conversation(other, 'quick');
    await receiver.find(({ body }) => body.data.message.content === 'quick');
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['slow', 'quick']);
    release();
    await receiver.find(({ body }) => body.data.message.content === 'behind');
  });

  it('Only an endpoint with include_private receives private notes, and others cannot count them.', async () => {
    const inside = await newReceiver();
    await newWebhook(receiver, ['message.*']);
    await newWebhook(inside, ['message.*'], { include_private: true });
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'Hello');
    await answer(conversation, 'a secret note', { private: true });
    await answer(conversation, 'Good morning');
    const last = (one: WebhookReceiver) => one.find(({ body }) => body.data.message.content === 'Good morning');
    const [shown] = await Promise.all([last(receiver), last(inside)]);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['Hello', 'Good morning']);
    expect(inside.received.map(({ body }) => body.data.message.private as boolean)).toEqual([false, true, false]);
    expect(JSON.stringify(receiver.received)).not.toContain('secret note');
    expect(shown.body.data.conversation.last_seq).toBe(3);
  });

  it('An endpoint with channels receives events of these channels and contacts alone, without secret ids.', async () => {
    const channel = await world.channel(desk);
    await newWebhook(receiver, ['*'], { channel_ids: [channel.id] });
    await world.conversation(await world.visitor(desk), 'elsewhere');
    await desk.owner.api.post('/v1/bots', { name: 'Robo' });
    const there = await world.visitor({ widgetToken: channel.widget_token }, { external_id: 'user-1', name: 'Ada' });
    await world.conversation(there, 'here');
    await receiver.find(({ body }) => body.type === 'message.created');
    await desk.owner.api.patch(`/v1/contacts/${there.contactId}`, { name: 'Ada L.' });
    const update = await receiver.find(({ body }) => body.type === 'contact.updated' && body.data.name === 'Ada L.');
    expect(update.body.data).toMatchObject({ id: there.contactId, external_id: null });
    const types = new Set(receiver.received.map(({ body }) => body.type as string));
    expect([...types].sort()).toEqual(
      expect.arrayContaining(['contact.updated', 'conversation.created', 'message.created']),
    );
    expect([...types].filter(type => /^(bot|member|workspace)\./.test(type))).toEqual([]);
    const text = receiver.received.map(({ text }) => text).join('\n');
    expect(text).not.toContain('elsewhere');
    expect(text).not.toContain('user-1');
  });

  it('An endpoint with channels and include_private receives the notes of these channels alone.', async () => {
    const channel = await world.channel(desk);
    await newWebhook(receiver, ['*'], { channel_ids: [channel.id], include_private: true });
    const elsewhere = await world.conversation(await world.visitor(desk));
    await answer(elsewhere, 'a note elsewhere', { private: true });
    const there = await world.visitor({ widgetToken: channel.widget_token }, { external_id: 'user-1', name: 'Ada' });
    const conversation = await world.conversation(there, 'Hello');
    const note = await answer(conversation, 'a note', { private: true });
    await desk.owner.api.patch(`/v1/contacts/${there.contactId}`, { name: 'Ada L.' });
    const shown = await receiver.find(({ body }) => body.data.message?.id === note.id);
    const events = (await key.get('/v1/events?limit=200')).data.items as Json[];
    expect(shown.body.data).toEqual(events.find(({ data }) => data.message?.id === note.id)?.data);
    const update = await receiver.find(({ body }) => body.type === 'contact.updated' && body.data.name === 'Ada L.');
    expect(update.body.data.external_id).toBeNull();
    const text = receiver.received.map(({ text }) => text).join('\n');
    for (const word of ['elsewhere', 'user-1']) expect(text).not.toContain(word);
  });

  it('An endpoint receives contact.created with the external_id; one with channels receives theirs alone, without it.', async () => {
    const channel = await world.channel(desk);
    const limited = await newReceiver();
    await newWebhook(receiver, ['contact.created']);
    await newWebhook(limited, ['contact.created'], { channel_ids: [channel.id] });
    const elsewhere = await world.visitor(desk, { external_id: 'user-1', name: 'Bob' });
    const there = await world.visitor({ widgetToken: channel.widget_token }, { external_id: 'user-2', name: 'Ada' });
    await Promise.all([receiver.until(2), limited.until(1)]);
    const shown = ({ received }: WebhookReceiver) =>
      received.map(({ body: { type, data } }) => [type, data.id, data.name, data.external_id] as unknown[]);
    expect(shown(receiver)).toEqual([
      ['contact.created', elsewhere.contactId, 'Bob', 'user-1'],
      ['contact.created', there.contactId, 'Ada', 'user-2'],
    ]);
    expect(shown(limited)).toEqual([['contact.created', there.contactId, 'Ada', null]]);
  });

  it('Files arrive with id, name, type and size, without a URL.', async () => {
    await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const file = await uploadAsVisitor(visitor, 'hello', 'note.txt');
    await visitor.api.post('/v1/widget/conversations', { message: { attachment_ids: [file.data.id] } });
    const [delivery] = await receiver.until(1);
    expect(delivery!.body.data.message.attachments).toEqual([
      { id: file.data.id, name: 'note.txt', content_type: 'text/plain', size: 5 },
    ]);
    expect(delivery!.text).not.toContain('/files/');
  });

  it('An endpoint receives no event from before it was created or enabled.', async () => {
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'before');
    const webhook = await newWebhook(receiver, ['message.created']);
    await sendAs(visitor, conversation, 'after');
    await receiver.until(1);
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: false });
    await sendAs(visitor, conversation, 'meanwhile');
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: true });
    await sendAs(visitor, conversation, 'again');
    await receiver.until(2);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['after', 'again']);
  });
});

describe('Retries', () => {
  /** Moves the clock to the next attempt of the only delivery. */
  async function nextAttempt(webhook: string, attempts: number): Promise<number> {
    const [delivery] = await deliveriesWhen(webhook, found => isAttempted(found, attempts), 10_000);
    const last = delivery!.attempts.at(-1);
    if (delivery!.status !== 'pending') return 0;
    const pause = new Date(delivery!.next_attempt_at as string).getTime() - new Date(last.at as string).getTime();
    const wait = new Date(delivery!.next_attempt_at as string).getTime() - world.app.clock.now().getTime();
    world.app.clock.advance(Math.max(0, wait) / 1_000);
    return pause / 1_000;
  }

  it('A failing delivery is retried nine times by the published schedule, then it has failed.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    await world.conversation(await world.visitor(desk));
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) pauses.push(await nextAttempt(webhook, attempts));
    const hours = [0.5, 2, 5, 10, 14, 20, 24].map(count => count * 3_600);
    for (const [index, seconds] of [5, 300, ...hours].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(seconds * 0.9);
      expect(pauses[index]).toBeLessThanOrEqual(seconds * 1.1 + 5);
    }
    const [delivery] = await deliveriesOf(webhook);
    expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(countsOf(receiver.received.map(({ id }) => id))).toEqual({ [delivery!.event_id]: 10 });
  });

  it('A retry waits for nobody, and later events of its conversation do not wait for it.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    let failing = true;
    receiver.respond = ({ body }, response) =>
      void response.writeHead(failing && body.data.message.content === 'first' ? 503 : 200).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    await receiver.until(1);
    await sendAs(visitor, conversation, 'second');
    await receiver.find(({ body }) => body.data.message.content === 'second');
    failing = false;
    world.app.clock.advance(6);
    await deliveriesWhen(webhook, found => found.every(({ status }) => status === 'delivered'));
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual([
      'first',
      'second',
      'first',
    ]);
  });

  it('Retry-After makes the pause longer, up to a day, and never shorter.', async () => {
    for (const [header, least, most] of [
      ['1', 4, 6],
      ['600', 600, 602],
      ['999999', 86_400, 86_402],
    ] as const) {
      const one = await newReceiver();
      one.respond = (_delivery, response) => void response.writeHead(429, { 'Retry-After': header }).end();
      const webhook = await newWebhook(one, ['message.created']);
      await world.conversation(await world.visitor(desk));
      const pause = await nextAttempt(webhook, 1);
      expect(pause).toBeGreaterThanOrEqual(least);
      expect(pause).toBeLessThanOrEqual(most);
      world.app.clock.reset();
      await desk.owner.api.delete(`/v1/webhooks/${webhook}`);
    }
  });

  it('A redirect is a failure and is not followed.', async () => {
    const other = await newReceiver();
    receiver.respond = (_delivery, response) => void response.writeHead(302, { Location: other.url }).end();
    const webhook = await newWebhook(receiver, ['message.created']);
    await world.conversation(await world.visitor(desk));
    const [delivery] = await deliveriesWhen(webhook, found => isAttempted(found));
    expect(delivery!.attempts).toMatchObject([{ status: 302 }]);
    expect(delivery!.status).toBe('pending');
    expect(other.received).toEqual([]);
  });

  it('An answer of 10 MB is cut and counts by its status.', async () => {
    receiver.respond = (_delivery, response) => {
      response.on('error', () => undefined);
      response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, 'x'));
    };
    const webhook = await newWebhook(receiver, ['message.created']);
    await world.conversation(await world.visitor(desk));
    await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
  });

  it('A closed port is endpoint_unreachable.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    await receiver.stop();
    await world.conversation(await world.visitor(desk));
    const [delivery] = await deliveriesWhen(webhook, found => isAttempted(found));
    expect(delivery!.attempts).toMatchObject([{ status: null, error: 'endpoint_unreachable' }]);
  });

  it('A failed delivery is retried by hand at once, with the same webhook-id.', async () => {
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const webhook = await newWebhook(receiver, ['message.created']);
    await world.conversation(await world.visitor(desk));
    const [delivery] = await deliveriesWhen(webhook, found => isAttempted(found));
    receiver.respond = (_delivery, response) => void response.writeHead(204).end();
    const retried = await desk.owner.api.post(`/v1/webhooks/${webhook}/deliveries/${delivery!.id}/retry`);
    expect([retried.status, retried.data.id, retried.data.status]).toEqual([200, delivery!.id, 'pending']);
    const [done] = await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
    expect(done!.attempts).toMatchObject([{ status: 500 }, { status: 204 }]);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set([delivery!.event_id]));
  });
});

describe('Disabling', () => {
  it('A 410 disables the endpoint as gone, and its pending deliveries have failed.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    await deliveriesWhen(webhook, found => isAttempted(found));
    receiver.respond = (_delivery, response) => void response.writeHead(410).end();
    await sendAs(visitor, conversation, 'second');
    await eventually(async () => {
      const { enabled, disabled_reason } = (await key.get(`/v1/webhooks/${webhook}`)).data;
      return !enabled && disabled_reason === 'gone' ? true : undefined;
    });
    const deliveries = await deliveriesOf(webhook, '&status=failed');
    expect(deliveries.map(({ next_attempt_at }) => next_attempt_at as string | null)).toEqual([null, null]);
    await sendAs(visitor, conversation, 'third');
    const log = (await desk.owner.api.get('/v1/audit-log?limit=200')).data.items as Json[];
    const entry = await eventually(
      async () => {
        const { items } = (await desk.owner.api.get('/v1/audit-log?limit=200')).data;
        return (items as Json[]).find(({ action }) => action === 'webhook.disabled');
      },
      5_000,
      () => log,
    );
    expect(entry.actor).toMatchObject({ type: 'system' });
    expect(receiver.received).toHaveLength(2);
  });

  it('Five days of nothing but failures disable the endpoint as failing.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    await deliveriesWhen(webhook, found => isAttempted(found));
    world.app.clock.advance(4.9 * 86_400);
    await answer(conversation, 'second');
    await deliveriesWhen(webhook, found => found.map(({ attempts }) => attempts.length).join() === '1,2');
    expect((await key.get(`/v1/webhooks/${webhook}`)).data.enabled).toBe(true);
    world.app.clock.advance(0.2 * 86_400);
    await eventually(async () => {
      const { disabled_reason } = (await key.get(`/v1/webhooks/${webhook}`)).data;
      return disabled_reason === 'failing' ? true : undefined;
    });
    const deliveries = await deliveriesOf(webhook);
    expect(deliveries.map(({ status }) => status as string)).toEqual(['failed', 'failed']);
  });

  it('A success within five days keeps a failing endpoint enabled.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = ({ body }, response) =>
      void response.writeHead(body.data.message.content === 'good' ? 200 : 500).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    await deliveriesWhen(webhook, found => isAttempted(found));
    await sendAs(visitor, conversation, 'good');
    await receiver.until(2);
    world.app.clock.advance(6 * 86_400);
    await answer(conversation, 'bad');
    await deliveriesWhen(webhook, found => found.every(({ attempts }) => attempts.length > 0) && found.length === 3);
    expect((await key.get(`/v1/webhooks/${webhook}`)).data).toMatchObject({ enabled: true });
  });

  it('Disabling by hand ends pending deliveries as failed, and enabling begins with new events.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    await deliveriesWhen(webhook, found => isAttempted(found));
    const path = `/v1/webhooks/${webhook}`;
    expect((await desk.owner.api.patch(path, { enabled: false })).data).toMatchObject({ disabled_reason: null });
    expect(await deliveriesOf(webhook, '&status=pending')).toEqual([]);
    expect(await deliveriesOf(webhook, '&status=failed')).toHaveLength(1);
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    await desk.owner.api.patch(path, { enabled: true });
    await sendAs(visitor, conversation, 'second');
    await receiver.until(2);
    world.app.clock.advance(10);
    await sendAs(visitor, conversation, 'third');
    await receiver.until(3);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual([
      'first',
      'second',
      'third',
    ]);
    const statuses = (await deliveriesOf(webhook)).map(({ status }) => status as string);
    expect(statuses).toEqual(['delivered', 'delivered', 'failed']);
  });

  it.each([false, true])(
    'An event from before an endpoint was disabled that is read afterwards has failed (enabled again: %s).',
    async isEnabledAgain => {
      const webhook = await newWebhook(receiver, ['message.created']);
      const path = `/v1/webhooks/${webhook}`;
      const visitor = await world.visitor(desk);
      const conversation = await world.conversation(visitor, 'delivered');
      await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
      const reading = await pauseConsumer(world.app.database, 'webhooks');
      const unread = await sendAs(visitor, conversation, 'unread');
      await desk.owner.api.patch(path, { enabled: false });
      await sendAs(visitor, conversation, 'gap');
      if (isEnabledAgain) {
        await desk.owner.api.patch(path, { enabled: true });
        await sendAs(visitor, conversation, 'new');
      }
      await reading.commit();
      const count = isEnabledAgain ? 3 : 2;
      const found = await deliveriesWhen(webhook, deliveries => deliveries.length === count);
      const failed = found.find(({ status }) => status === 'failed');
      expect(failed).toMatchObject({ conversation_id: conversation.id, attempts: [], next_attempt_at: null });
      if (!isEnabledAgain) await desk.owner.api.patch(path, { enabled: true });
      receiver.received.length = 0;
      const retried = await desk.owner.api.post(`${path}/deliveries/${failed!.id}/retry`);
      expect(retried.data.status).toBe('pending');
      const delivery = await receiver.find(({ id }) => id === failed!.event_id);
      expect(delivery.body.data.message.id).toBe(unread.id);
      expect(await deliveriesOf(webhook)).toHaveLength(count);
    },
  );

  it.each(['before', 'during', 'after'])(
    'Deleting an endpoint deletes its deliveries and the secret (%s an attempt).',
    async moment => {
      let release = (): void => undefined;
      const released = new Promise<void>(resolve => (release = resolve));
      receiver.respond = async (_delivery, response) => {
        if (moment === 'during') await released;
        response.writeHead(200).end();
      };
      const webhook = await newWebhook(receiver, ['message.created']);
      await world.conversation(await world.visitor(desk));
      if (moment !== 'before') await receiver.until(1);
      await desk.owner.api.delete(`/v1/webhooks/${webhook}`);
      release();
      expect((await desk.owner.api.get(`/v1/webhooks/${webhook}/deliveries`)).status).toBe(404);
      await eventually(async () => {
        const rows = await world.app.database.query(
          'SELECT id FROM webhook WHERE id = $1 UNION ALL SELECT id FROM webhook_delivery WHERE webhook_id = $1',
          [webhook],
        );
        return rows.length === 0 ? true : undefined;
      });
    },
  );
});

describe('Replay', () => {
  it('A replay fills the gap in which the endpoint was disabled, with the ids of the events.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'one');
    await receiver.until(1);
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: false });
    await sendAs(visitor, conversation, 'two');
    await sendAs(visitor, conversation, 'three');
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: true });
    const begun = await replay(webhook);
    expect([begun.status, begun.data]).toEqual([200, { replay_id: expect.any(String), queued: 3 }]);
    await receiver.until(4);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual([
      'one',
      'one',
      'two',
      'three',
    ]);
    expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id);
  });

  it('A replay keeps the order of a conversation where positions of the log gain a digit.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const conversation = await world.conversation(await world.visitor(desk), '0');
    await receiver.until(1);
    await world.app.database.query(`SELECT setval(pg_get_serial_sequence('event', 'position'), 99997)`);
    for (let index = 1; index < 6; index += 1) await answer(conversation, String(index));
    await receiver.until(6);
    expect((await replay(webhook)).data.queued).toBe(6);
    await receiver.until(12);
    expect(receiver.received.map(({ body }) => body.data.message.content as string).join('')).toBe('012345012345');
  });

  it('A replay of failed events alone leaves out delivered ones.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'good');
    await receiver.until(1);
    receiver.respond = (_delivery, response) => void response.writeHead(410).end();
    await sendAs(visitor, conversation, 'bad');
    await eventually(async () => ((await key.get(`/v1/webhooks/${webhook}`)).data.enabled ? undefined : true));
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: true });
    expect((await replay(webhook, { only_failed: true })).data.queued).toBe(1);
    await receiver.until(3);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['good', 'bad', 'bad']);
    await deliveriesWhen(webhook, found => found.filter(({ status }) => status === 'delivered').length === 2);
    expect((await replay(webhook, { only_failed: true })).data.queued).toBe(0);
  });

  it('A replay of failed events alone includes those that disabling has just ended.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    await world.conversation(await world.visitor(desk), 'ended');
    await deliveriesWhen(webhook, found => isAttempted(found));
    // another instance has the lease, so no worker rewrites the rows before the replay
    await world.app.database.query(
      `UPDATE webhook SET lease = gen_random_uuid(), leased_until = clock_timestamp() + interval '1 hour' WHERE id = $1`,
      [webhook],
    );
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: false });
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: true });
    expect(await deliveriesOf(webhook, '&status=failed')).toHaveLength(1);
    expect((await replay(webhook, { only_failed: true })).data.queued).toBe(1);
  });

  it('A replay holds nothing from before the endpoint and shows no note to an endpoint without include_private.', async () => {
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'before');
    const webhook = await newWebhook(receiver, ['message.created']);
    await answer(conversation, 'a note', { private: true });
    await answer(conversation, 'public');
    await receiver.until(1);
    expect((await replay(webhook)).data.queued).toBe(1);
    await receiver.until(2);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['public', 'public']);
  });

  it.each([
    ['all events of the workspace', false, true],
    ['the public view', false, false],
    ['all events of a channel', true, true],
    ['the public view of a channel', true, false],
  ])(
    'The number of queued events of a replay is that of its deliveries for %s.',
    async (_name, isScoped, isPrivate) => {
      const channel = await world.channel(desk);
      const channels = isScoped ? { channel_ids: [channel.id] } : {};
      const webhook = await newWebhook(receiver, ['*'], { ...channels, include_private: isPrivate });
      const there = await world.visitor({ widgetToken: channel.widget_token }, { name: 'Ada' });
      const elsewhere = await world.visitor(desk, { name: 'Bob' });
      const conversations = [await world.conversation(there, 'here'), await world.conversation(elsewhere, 'elsewhere')];
      for (const conversation of conversations) {
        const path = `/v1/conversations/${conversation.id}/read`;
        await desk.owner.api.post(path, { seq: 1 });
        await answer(conversation, 'a note', { private: true });
        expect((await desk.owner.api.post(path, { seq: 2 })).status).toBe(200);
      }
      for (const { contactId } of [there, elsewhere])
        await desk.owner.api.patch(`/v1/contacts/${contactId}`, { name: 'Renamed' });
      await answer(conversations[1]!, 'last but one');
      await answer(conversations[0]!, 'last');
      await receiver.find(({ body }) => body.data.message?.content === 'last');
      const live = await deliveriesWhen(webhook, found => found.every(({ status }) => status === 'delivered'));
      expect((await replay(webhook)).data.queued).toBe(live.length);
      const both = await deliveriesWhen(webhook, found => found.length === 2 * live.length);
      const perEvent = Object.values(countsOf(both.map(({ event_id }) => event_id as string)));
      expect([...new Set(perEvent)]).toEqual([2]);
    },
  );

  it('A second replay is refused with 409 replay_running until the first was attempted.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    await world.conversation(await world.visitor(desk));
    await receiver.until(1);
    let release = (): void => undefined;
    const released = new Promise<void>(resolve => (release = resolve));
    receiver.respond = async (_delivery, response) => {
      await released;
      response.writeHead(200).end();
    };
    expect((await replay(webhook)).status).toBe(200);
    await receiver.until(2);
    const second = await replay(webhook);
    expect([second.status, second.error.code]).toEqual([409, 'replay_running']);
    release();
    await eventually(async () => ((await replay(webhook)).status === 200 ? true : undefined));
  });

  it('A replay is refused for a disabled endpoint (409) and for times in the wrong order (400).', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const now = new Date().toISOString();
    expect((await replay(webhook, { from: now, to: now })).error.code).toBe('validation_failed');
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: false });
    const refused = await replay(webhook);
    expect([refused.status, refused.error.code]).toEqual([409, 'webhook_disabled']);
  });
});

describe('Unsent and erased content', () => {
  it('A retry after unsending delivers the event without its content.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const conversation = await world.conversation(await world.visitor(desk), 'hello');
    await receiver.until(1);
    const message = await answer(conversation, 'words of regret');
    await receiver.find(({ body }) => body.data.message.id === message.id);
    await desk.owner.api.delete(`/v1/conversations/${conversation.id}/messages/${message.id}`);
    receiver.received.length = 0;
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    world.app.clock.advance(10);
    await deliveriesWhen(webhook, found => found.every(({ status }) => status === 'delivered'));
    const again = receiver.received.find(({ body }) => body.data.message.id === message.id);
    expect(again!.body.data.message.content).toBeNull();
    expect(receiver.received.map(({ text }) => text).join()).not.toContain('words of regret');
    const copies = await world.app.database.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM webhook_event WHERE payload::text LIKE '%words of regret%'`,
    );
    expect(copies).toEqual([{ found: 0 }]);
  });

  it('From the erasure of a contact on, retries and replays show nothing of the person.', async () => {
    const webhook = await newWebhook(receiver, ['message.created', 'conversation.created', 'contact.*']);
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const visitor = await world.visitor(desk, { name: 'Ada Lovelace', email: 'ada@example.com' });
    await world.conversation(visitor, 'my medical history');
    await receiver.find(({ body }) => body.type === 'message.created');
    expect((await key.delete(`/v1/contacts/${visitor.contactId}`)).status).toBe(200);
    await receiver.find(({ body }) => body.type === 'contact.deleted');
    receiver.received.length = 0;
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    world.app.clock.advance(10);
    await deliveriesWhen(webhook, found => found.every(({ status }) => status === 'delivered'));
    world.app.clock.reset();
    const to = new Date(Date.now() + 60_000).toISOString();
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { queued } = (await desk.owner.api.post(`/v1/webhooks/${webhook}/replay`, { from, to })).data;
    await receiver.until(2 * queued);
    const text = receiver.received.map(delivery => delivery.text).join('\n');
    for (const word of ['Lovelace', 'ada@example.com', 'medical history']) expect(text).not.toContain(word);
    await eventually(async () => {
      const [row] = await world.app.database.query<{ found: number }>(
        `SELECT count(*)::int AS found FROM webhook_event WHERE workspace_id = $1
           AND payload::text ~ 'Lovelace|ada@example|medical'`,
        [desk.workspaceId],
      );
      return row?.found === 0 ? true : undefined;
    });
  });

  it('A pending delivery of a note is not sent after include_private was switched off.', async () => {
    const webhook = await newWebhook(receiver, ['message.created'], { include_private: true });
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const conversation = await world.conversation(await world.visitor(desk), 'hello');
    await answer(conversation, 'only for us', { private: true });
    await deliveriesWhen(webhook, found => found.length === 2 && isAttempted(found));
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { include_private: false });
    receiver.received.length = 0;
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    world.app.clock.advance(10);
    const done = await deliveriesWhen(webhook, found => found.every(({ status }) => status !== 'pending'));
    expect(done.map(({ status, attempts }) => [status, attempts.at(-1).error])).toEqual([
      ['failed', 'not_selected'],
      ['delivered', undefined],
    ]);
    expect(receiver.received.map(({ body }) => body.data.message.content as string)).toEqual(['hello']);
  });
});

describe('Isolation', () => {
  it('A dead endpoint holds up neither another endpoint nor another workspace.', async () => {
    const dead = await newReceiver();
    dead.respond = () => undefined;
    const other = await world.desk();
    await newWebhook(dead, ['message.created']);
    await newWebhook(receiver, ['message.created']);
    const elsewhere = await newReceiver();
    const made = await other.owner.api.post('/v1/webhooks', { url: elsewhere.url, events: ['message.created'] });
    elsewhere.secrets.push(made.data.secret as string);
    const [visitor, stranger] = await Promise.all([world.visitor(desk), world.visitor(other)]);
    const conversations = await Promise.all([world.conversation(visitor, '0'), world.conversation(stranger, '0')]);
    for (let index = 1; index < 10; index += 1) {
      await sendAs(visitor, conversations[0], String(index));
      await sendAs(stranger, conversations[1], String(index));
    }
    await Promise.all([receiver.until(10), elsewhere.until(10)]);
    expect(dead.received).toHaveLength(1);
  });

  it('Dead endpoints hold up no other workspace whose endpoint is at the same host.', async () => {
    for (let index = 0; index < 12; index += 1) {
      await newWebhook(receiver, ['message.created'], { url: `${receiver.url}/dead-${index}` });
    }
    const attempts = () => receiver.received.filter(({ path }) => path.includes('/dead-'));
    receiver.respond = (_delivery, response) => void response.writeHead(500).end();
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'fails');
    await eventually(() => (attempts().length === 12 ? true : undefined));
    receiver.respond = ({ path }, response) => {
      if (!path.includes('/dead-')) response.writeHead(200).end();
    };
    await sendAs(visitor, conversation, 'hangs');
    await eventually(() => (attempts().length >= 12 + 5 ? true : undefined));
    const other = await world.desk();
    const made = await other.owner.api.post('/v1/webhooks', { url: receiver.url, events: ['message.created'] });
    receiver.secrets.push(made.data.secret as string);
    await world.conversation(await world.visitor(other), 'arrives');
    await receiver.find(({ path, body }) => !path.includes('/dead-') && body.data.message.content === 'arrives', 4_000);
  });
});

describe('Cost', () => {
  it('The log has no event to read for workspaces without webhooks, and for those whose webhooks are disabled.', async () => {
    const consumer = world.app.app.get(WebhooksConsumer);
    const [without, disabled] = [await world.desk(), await world.desk()];
    const made = await disabled.owner.api.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    receiver.secrets.push(made.data.secret as string);
    await disabled.owner.api.patch(`/v1/webhooks/${made.data.id}`, { enabled: false });
    const webhook = await newWebhook(receiver, ['message.created']);
    const handle = jest.spyOn(consumer as unknown as { handle(events: RecordedEvent[]): Promise<void> }, 'handle');
    for (const one of [without, disabled]) await world.conversation(await world.visitor(one));
    await consumed(world, WebhooksConsumer);
    expect(handle).not.toHaveBeenCalled();
    await world.conversation(await world.visitor(desk));
    await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
    await world.conversation(await world.visitor(without));
    await consumed(world, WebhooksConsumer);
    const handled = handle.mock.calls.flatMap(([events]) => events);
    expect([...new Set(handled.map(({ workspaceId }) => workspaceId))]).toEqual([desk.workspaceId]);
  });
});

describe('Secrets', () => {
  it('After a rotation both secrets sign for 24 hours, then the new one alone.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const [old = ''] = receiver.secrets;
    const rotated = await desk.owner.api.post(`/v1/webhooks/${webhook}/rotate-secret`);
    receiver.secrets.push(rotated.data.secret as string);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'first');
    const [both] = await receiver.until(1);
    expect(receiver.secrets.map(secret => isSigned(secret, both!))).toEqual([true, true]);
    world.app.clock.advance(24 * 3_600 + 1);
    await answer(conversation, 'second');
    const [, one] = await receiver.until(2);
    expect([isSigned(old, one!), isSigned(rotated.data.secret as string, one!)]).toEqual([false, true]);
  });
});

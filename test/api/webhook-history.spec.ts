import { describe, expect, it } from '@jest/globals';
import { DeliveryRetentionJob } from '../../src/modules/webhooks/delivery-retention.job.js';
import { EventRetentionJob } from '../../src/platform/events/event-retention.job.js';
import {
  answer,
  deliveriesOf,
  deliveriesWhen,
  desk,
  newWebhook,
  receiver,
  replay,
  sendAs,
  world,
} from '../support/desk-with-webhooks.js';
import { eventually } from '../support/eventually.js';

const DAY = 86_400;
const MAX_EVENTS = 100_000;

const contents = (): string[] => receiver.received.map(({ body }) => body.data.message.content as string);

/** Rows of the desk's workspace. */
async function count(table: string): Promise<number> {
  const sql = `SELECT count(*)::int AS rows FROM ${table} WHERE workspace_id = $1`;
  return (await world.app.database.query<{ rows: number }>(sql, [desk.workspaceId]))[0]!.rows;
}

/** Lets a week go by, after which the log has no event of before. */
async function pruneLog(): Promise<void> {
  world.app.clock.advance(8 * DAY);
  await eventually(async () => {
    await world.app.app.get(EventRetentionJob).run();
    return (await count('event')) === 0 ? true : undefined;
  });
  world.app.clock.reset();
}

describe('Retention', () => {
  it('Deliveries, their events and replays are deleted after 30 days, and newer ones are kept.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const conversation = await world.conversation(await world.visitor(desk), 'old');
    await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
    expect((await replay(webhook)).data.queued).toBe(1);
    await deliveriesWhen(webhook, found => found.length === 2 && found.every(({ status }) => status === 'delivered'));
    world.app.clock.advance(20 * DAY);
    await answer(conversation, 'new');
    const [kept] = await deliveriesWhen(webhook, found => found.length === 3 && found[0]?.status === 'delivered');
    const job = world.app.app.get(DeliveryRetentionJob);
    world.app.clock.advance(9 * DAY);
    await job.run();
    expect([await count('webhook_delivery'), await count('webhook_event')]).toEqual([3, 2]);
    world.app.clock.advance(2 * DAY);
    await job.run();
    expect(await deliveriesOf(webhook)).toEqual([kept]);
    expect([await count('webhook_event'), await count('webhook_replay')]).toEqual([1, 0]);
    const copies = await world.app.database.query('SELECT id FROM webhook_event WHERE workspace_id = $1', [
      desk.workspaceId,
    ]);
    expect(copies).toEqual([{ id: kept!.event_id }]);
  });
});

describe('Replay', () => {
  it('Once the log has forgotten the events, a replay takes them from the deliveries.', async () => {
    const webhook = await newWebhook(receiver, ['message.created']);
    const visitor = await world.visitor(desk);
    const conversation = await world.conversation(visitor, 'one');
    await receiver.until(1);
    receiver.respond = (_delivery, response) => void response.writeHead(410).end();
    await sendAs(visitor, conversation, 'two');
    await deliveriesWhen(webhook, found => found[0]?.status === 'failed');
    await sendAs(visitor, conversation, 'while disabled');
    receiver.respond = (_delivery, response) => void response.writeHead(200).end();
    await desk.owner.api.patch(`/v1/webhooks/${webhook}`, { enabled: true });
    await pruneLog();
    const [first, second] = [...receiver.received];
    receiver.received.length = 0;
    expect((await replay(webhook, { only_failed: true })).data.queued).toBe(1);
    await receiver.until(1);
    await deliveriesWhen(webhook, found => found[0]?.status === 'delivered');
    expect((await replay(webhook)).data.queued).toBe(2);
    await receiver.until(3);
    expect(contents()).toEqual(['two', 'one', 'two']);
    expect(receiver.received.map(({ id, text }) => [id, text])).toEqual(
      [second!, first!, second!].map(({ id, text }) => [id, text]),
    );
  });

  it('A replay of 100,000 events is accepted, and one of more is refused (400).', async () => {
    const webhook = await newWebhook(receiver, ['conversation.read']);
    const insert = (events: number) =>
      // an old transaction: consumers and sockets have read it
      world.app.database.query(
        `INSERT INTO event (xid, id, workspace_id, type, actor, payload, payload_version)
         SELECT '3', gen_random_uuid(), $1, 'conversation.read', '{"type": "system"}', '{"last_public_read_seq": 1}', 1
         FROM generate_series(1, $2::int)`,
        [desk.workspaceId, events],
      );
    await insert(MAX_EVENTS + 1);
    const refused = await replay(webhook);
    expect([refused.status, refused.error.details]).toEqual([
      400,
      [{ field: 'from', code: 'too_many', message: 'from selects more than 100,000 events' }],
    ]);
    const one = 'DELETE FROM event WHERE position = (SELECT max(position) FROM event WHERE workspace_id = $1)';
    await world.app.database.query(one, [desk.workspaceId]);
    expect((await replay(webhook)).data.queued).toBe(MAX_EVENTS);
    await desk.owner.api.delete(`/v1/webhooks/${webhook}`);
    await world.app.database.query(`DELETE FROM event WHERE workspace_id = $1`, [desk.workspaceId]);
  });
});

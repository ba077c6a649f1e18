import { beforeEach, describe, expect, it } from '@jest/globals';
import { NotificationsConsumer } from '../../src/modules/notifications/notifications.consumer.js';
import { eventually } from '../support/eventually.js';
import { consumed } from '../support/consumed.js';
import type { Json } from '../support/json.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { race, RACE_SEEDS } from '../support/race.js';
import { seeded, waitUpTo } from '../support/seeded.js';
import { TwoInstances } from '../support/two-instances.js';
import { desk, first as world, second as other } from '../support/two-instances-for-each.js';
import type { Agent, Visitor } from '../support/world.js';

let ada: Agent;
beforeEach(async () => {
  ada = await world.colleague(desk, { name: 'Ada' });
});

/** A conversation with calls that go to either instance by chance. */
async function scene(seed: number) {
  const random = seeded(seed);
  const visitor: Visitor = await world.visitor(desk);
  const id = (await world.conversation(visitor)).id as string;
  const either = (token: string) => (random() < 0.5 ? world : other).as(token);
  return {
    id,
    random,
    write: () =>
      either(visitor.token).post(`/v1/widget/conversations/${id}/messages`, { content: `Hello ${String(random())}` }),
    send: (body: object = {}) =>
      either(ada.token).post(`/v1/conversations/${id}/messages`, { content: 'Let me look.', ...body }),
    take: () => ada.api.post(`/v1/conversations/${id}/take`, {}),
    read: async () => {
      const { last_seq: seq } = (await either(ada.token).get(`/v1/conversations/${id}`)).data as { last_seq: number };
      return either(ada.token).post(`/v1/conversations/${id}/read`, { seq });
    },
  };
}
const rowsOf = (id: string) =>
  world.app.database.query<{ type: string; seq: number; read_at: Date | null; message_id: string }>(
    'SELECT type, seq, read_at, message_id FROM notification WHERE conversation_id = $1 ORDER BY id',
    [id],
  );

describe('Notifications under race on two instances', () => {
  it('While a contact writes and the member reads, there is at most one unread notification, and one exactly if the contact wrote after the last look.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const { id, random, write, take, read } = await scene(seed);
      await take();
      await race(9, async index => {
        await waitUpTo(random, 40);
        await (index % 3 === 0 ? read() : write());
      });
      await consumed(world, NotificationsConsumer);
      const unread = (await rowsOf(id)).filter(({ read_at }) => read_at === null);
      const [state] = await world.app.database.query<{ looked: number; last: number }>(
        `SELECT looked_seq AS looked, (SELECT max(seq) FROM message WHERE conversation_id = $1 AND sender_type = 'contact') AS last
         FROM participant WHERE conversation_id = $1 AND member_id = $2`,
        [id, ada.memberId],
      );
      expect([seed, unread.map(({ type }) => type)]).toEqual([
        seed,
        (state?.last ?? 0) > (state?.looked ?? 0) ? ['replied'] : [],
      ]);
      expect(unread.every(({ seq }) => seq > (state?.looked ?? 0))).toBe(true);
    }
  }, 120_000);

  it('While a contact and the member write, a notification is unread exactly if the contact wrote last.', async () => {
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const { id, random, write, send, take } = await scene(seed);
      await take();
      await race(8, async index => {
        await waitUpTo(random, 40);
        await (index % 3 === 0 ? send() : write());
      });
      await consumed(world, NotificationsConsumer);
      const unread = (await rowsOf(id)).filter(({ read_at }) => read_at === null);
      const [last] = await world.app.database.query<{ sender_type: string }>(
        `SELECT sender_type FROM message WHERE conversation_id = $1 AND content_type = 'text' ORDER BY seq DESC LIMIT 1`,
        [id],
      );
      expect([seed, unread.length]).toEqual([seed, last?.sender_type === 'contact' ? 1 : 0]);
    }
  }, 120_000);

  it('Two instances that consume the log make each notification once.', async () => {
    const ben = await world.colleague(desk, { name: 'Ben' });
    const { id, send } = await scene(1);
    const mentions = [ben.memberId];
    // a busy machine may answer 503; the repetition is the same message
    const sent = await race(100, async index => {
      const note = { private: true, metadata: { mentions }, client_message_id: `note ${index}` };
      const { data } = await eventually(async () => {
        const answer = await send(note);
        return answer.status === 503 ? undefined : answer;
      }, 60_000);
      return (data as Json).id as string;
    });
    await consumed(world, NotificationsConsumer);
    expect((await rowsOf(id)).map(({ message_id }) => message_id).sort()).toEqual(sent.sort());
  }, 120_000);

  it('A note that is unsent at once leaves no notification and is never shown.', async () => {
    const ben = await world.colleague(desk, { name: 'Ben' });
    for (let seed = 0; seed < RACE_SEEDS; seed += 1) {
      const { id, random, send } = await scene(seed);
      const note = (await send({ private: true, metadata: { mentions: [ben.memberId] } })).data as Json;
      await waitUpTo(random, 600);
      await ada.api.delete(`/v1/conversations/${id}/messages/${String(note.id)}`);
      const shown = (await ben.api.get('/v1/notifications')).data as { items: Json[]; unread_count: number };
      expect([seed, shown.items, shown.unread_count]).toEqual([seed, [], 0]);
    }
    await consumed(world, NotificationsConsumer);
    expect(await world.app.database.query('SELECT FROM notification WHERE member_id = $1', [ben.memberId])).toEqual([]);
    expect((await ben.api.get('/v1/conversations?mentioned=me')).data.items).toEqual([]);
  }, 120_000);
});

(hasRedis ? describe : describe.skip)('The frames of notifications on instances that share a Redis', () => {
  it('A notification and its reading reach the sockets on both instances.', async () => {
    const redis = await RedisServer.start();
    const pair = await TwoInstances.start({ REDIS_URL: redis.url });
    const [here] = pair.worlds;
    const shared = await here.desk();
    const ben = await here.colleague(shared);
    const sockets = await Promise.all(pair.worlds.map(one => one.agentSocket(ben)));
    const { id } = await here.conversation(await here.visitor(shared));
    await shared.owner.api.post(`/v1/conversations/${String(id)}/assign`, { member_id: ben.memberId });
    const made = await Promise.all(sockets.map(socket => socket.next('notification.created')));
    const ids = made.map(({ data }) => (data.notification as Json).id as string);
    expect(new Set(ids).size).toBe(1);
    await ben.api.post('/v1/notifications/read', { all: true });
    for (const socket of sockets) expect((await socket.next('notification.read')).data).toEqual({ ids: [ids[0]] });
    await pair.stop();
    await redis.kill();
  });
});

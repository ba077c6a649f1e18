import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { TwoInstances } from '../support/two-instances.js';
import type { Desk, Visitor, World } from '../support/world.js';

(hasRedis ? describe : describe.skip)('Two instances with a bus', () => {
  let redis: RedisServer;
  let instances: TwoInstances;
  let one: World;
  let other: World;
  let desk: Desk;
  let visitor: Visitor;

  beforeAll(async () => {
    redis = await RedisServer.start();
    instances = await TwoInstances.start({ REDIS_URL: redis.url });
    [one, other] = instances.worlds;
    desk = await one.desk();
    visitor = await one.visitor(desk);
  });
  afterAll(async () => {
    await instances.stop();
    await redis.kill();
  });

  const bus = async (world: World) =>
    ((await (await fetch(`${world.app.url}/readyz`)).json()) as { bus: string; status: string }).bus;

  it('Both instances report a working bus in /readyz', async () => {
    await eventually(async () => ((await bus(one)) === 'ok' && (await bus(other)) === 'ok') || undefined);
  });

  it('A socket on one instance receives a message of the other at once, even while an open transaction delays the log', async () => {
    const socket = await other.agentSocket(desk.owner);
    await one.app.database.query('BEGIN');
    await one.app.database.query('SELECT pg_current_xact_id()');
    try {
      await one.conversation(visitor, 'by way of the bus');
      await socket.next('message.created', ({ data }) => data.message.content === 'by way of the bus');
    } finally {
      await one.app.database.query('ROLLBACK');
    }
    await socket.close();
  });

  it('An agent connected to one instance sees a visitor of the other instance type', async () => {
    const [conversation] = (await visitor.api.get('/v1/widget/conversations')).data.items;
    const [agent, typist] = [await other.agentSocket(desk.owner), await one.visitorSocket(visitor)];
    typist.send({ type: 'typing', conversation_id: conversation.id });
    expect((await agent.next('typing')).data.conversation_id).toBe(conversation.id);
    await agent.close();
    await typist.close();
  });

  it('Without the bus, an instance receives the messages of the other through the log and stays ready', async () => {
    const socket = await other.agentSocket(desk.owner);
    await redis.kill();
    const [conversation] = (await visitor.api.get('/v1/widget/conversations')).data.items;
    const sent = await visitor.api.post(`/v1/widget/conversations/${conversation.id}/messages`, { content: 'late' });
    expect(sent.status).toBe(201);
    await socket.next('message.created', ({ data }) => data.message.content === 'late');
    await eventually(async () => (await bus(one)) === 'down' || undefined, 8_000);
    expect((await fetch(`${one.app.url}/readyz`)).status).toBe(200);
    await redis.start();
    await eventually(async () => (await bus(one)) === 'ok' || undefined, 15_000);
    await socket.close();
  });
});

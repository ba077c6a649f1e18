import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { WebSocket } from 'ws';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { ensureBuilt, ServiceProcess } from '../support/service-process.js';
import type { TestSocket } from '../support/socket.js';
import type { Agent, Desk } from '../support/world.js';
import { World } from '../support/world.js';

jest.setTimeout(120_000);

const TTL_MS = 6_000;
const TIMES = {
  WS_PRESENCE_TTL_MS: String(TTL_MS),
  WS_PRESENCE_GRACE_MS: '1000',
  WS_PING_INTERVAL_MS: '500',
};

(hasRedis ? describe : describe.skip)('Presence on instances that share a Redis', () => {
  let redis: RedisServer;
  let database: TestDatabase;
  let here: World;
  let there: World;
  let desk: Desk;
  let inbox: TestSocket;
  beforeAll(async () => {
    ensureBuilt();
    redis = await RedisServer.start();
    database = await cloneDatabase();
    const env = { ...TIMES, REDIS_URL: redis.url };
    [here, there] = [await World.start(env, { database }), await World.start(env, { database })];
    desk = await here.desk();
    inbox = await here.agentSocket(desk.owner);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([here.stop(), there.stop()]);
    await database.drop();
    await redis.kill();
  });

  const statuses = (socket: TestSocket, id: string) =>
    socket
      .of('presence.updated')
      .filter(({ data }) => data.subject_id === id)
      .map(({ data }) => data.status as string);
  async function receivedStatuses(socket: TestSocket, id: string, count: number, ms = 10_000): Promise<string[]> {
    await socket.next('presence.updated', () => statuses(socket, id).length >= count, ms);
    return statuses(socket, id);
  }
  const availabilityOn = async (world: World, agent: Agent) =>
    (await world.as(desk.owner.token).get(`/v1/workspace/members/${agent.memberId}`)).data.availability as string;
  const awaitAvailability = (world: World, agent: Agent, status: string, ms = 15_000) =>
    eventually(async () => (await availabilityOn(world, agent)) === status || undefined, ms);

  it('A member with sockets on two instances has one presence and stays online while it moves between them', async () => {
    const agent = await here.colleague(desk);
    const first = await there.agentSocket(agent);
    expect(await receivedStatuses(inbox, agent.memberId, 1)).toEqual(['online']);
    await awaitAvailability(here, agent, 'online');
    const second = await here.agentSocket(agent);
    await first.close();
    const third = await there.agentSocket(agent);
    await second.close();
    await third.close();
    expect(await receivedStatuses(inbox, agent.memberId, 2)).toEqual(['online', 'offline']);
    await awaitAvailability(there, agent, 'offline');
  });

  it('Presence and viewers on one instance are sent to sockets of the other', async () => {
    const agent = await here.colleague(desk);
    const visitor = await here.visitor(desk);
    const { id } = await here.conversation(visitor);
    await agent.api.post(`/v1/conversations/${id}/take`);
    const page = await here.visitorSocket(visitor);
    const socket = await there.agentSocket(agent);
    await page.next('presence.updated', ({ data }) => data.status === 'online');
    await socket.next('presence.updated', ({ data }) => data.subject_id === visitor.contactId);
    socket.send({ type: 'viewing', conversation_id: id });
    await inbox.next('viewing.updated', ({ data }) => data.members.includes(agent.memberId));
    inbox.send({ type: 'viewing', conversation_id: id });
    await socket.next('viewing.updated', ({ data }) => data.members.length === 2);
    await socket.close();
    await inbox.next(
      'viewing.updated',
      ({ data }) => data.members.length === 1 && data.members[0] === desk.owner.memberId,
    );
    await page.close();
  });

  /** Starts a third instance as a process, with a connected agent that views a conversation. */
  async function startProcess(): Promise<{ service: ServiceProcess; agent: Agent; conversation: string }> {
    const service = ServiceProcess.start({ ...TIMES, DATABASE_URL: database.url, REDIS_URL: redis.url });
    const agent = await here.colleague(desk);
    const { id } = await here.conversation(await here.visitor(desk));
    const socket = new WebSocket(`${(await service.url()).replace('http', 'ws')}/ws/agent?token=${agent.token}`);
    socket.on('error', () => undefined);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'viewing', conversation_id: id })));
    expect(await receivedStatuses(inbox, agent.memberId, 1, 20_000)).toEqual(['online']);
    await inbox.next('viewing.updated', ({ data }) => data.conversation_id === id && data.members.length === 1);
    return { service, agent, conversation: id as string };
  }

  it('The agent of a killed instance goes offline and stops viewing within the time to live', async () => {
    const { service, agent, conversation } = await startProcess();
    const visits = inbox.of('viewing.updated').length;
    await service.kill();
    const killedAt = performance.now();
    expect(await receivedStatuses(inbox, agent.memberId, 2, 4 * TTL_MS)).toEqual(['online', 'offline']);
    // Allows for the interval at which the surviving instances check.
    expect(performance.now() - killedAt).toBeLessThan(TTL_MS * 1.5);
    await inbox.next(
      'viewing.updated',
      ({ data }) => data.conversation_id === conversation && data.members.length === 0,
    );
    expect(inbox.of('viewing.updated').length).toBeGreaterThan(visits);
    await awaitAvailability(there, agent, 'offline');
  });

  it('The agent of a paused instance goes offline and is online again when the instance continues', async () => {
    const { service, agent } = await startProcess();
    service.child.kill('SIGSTOP');
    try {
      await receivedStatuses(inbox, agent.memberId, 2, 4 * TTL_MS);
    } finally {
      service.child.kill('SIGCONT');
    }
    expect(await receivedStatuses(inbox, agent.memberId, 3, 4 * TTL_MS)).toEqual(['online', 'offline', 'online']);
    await awaitAvailability(there, agent, 'online');
    await service.stop();
    await awaitAvailability(there, agent, 'offline', 4 * TTL_MS);
  });

  it('Presence is correct again after Redis has lost its data and was restarted', async () => {
    const [stays, leaves, comes] = [await here.colleague(desk), await here.colleague(desk), await here.colleague(desk)];
    await there.agentSocket(stays);
    const leaving = await there.agentSocket(leaves);
    for (const { memberId } of [stays, leaves]) await receivedStatuses(inbox, memberId, 1);
    await redis.flush();
    await redis.kill();
    await leaving.close();
    await there.agentSocket(comes);
    await awaitAvailability(there, comes, 'online');
    await redis.start();
    await awaitAvailability(here, comes, 'online');
    await awaitAvailability(here, leaves, 'offline');
    expect(statuses(inbox, stays.memberId)).toEqual(['online']);
    expect(await availabilityOn(here, stays)).toBe('online');
  });
});

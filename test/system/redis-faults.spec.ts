import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { PASSWORD } from '../support/world.js';

/** Longest wait of a request for a silent Redis plus the event tail's delay, with room for a slow machine. */
const MAX_WAIT_MS = 1_500;

(hasRedis ? describe : describe.skip)('Two instances with a faulty Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let proxy: TcpProxy;
  let here: string;
  let there: string;
  let desk: OutsideDesk;
  let conversation: { token: string; conversationId: string };
  let agent: ResumingListener;
  let visitor: ResumingListener;
  const running: ServiceProcess[] = [];

  beforeAll(async () => {
    ensureBuilt();
    [database, redis] = await Promise.all([cloneDatabase(), RedisServer.start()]);
    proxy = await TcpProxy.start(redis.url);
    const env = { DATABASE_URL: database.url, REDIS_URL: proxy.rewriteUrl(redis.url) };
    running.push(...[1, 2].map(() => ServiceProcess.start(env)));
    [here = '', there = ''] = await Promise.all(running.map(service => service.url(60_000)));
    desk = await openDesk(here);
    conversation = await beginConversation(here, desk);
    agent = await ResumingListener.agent(there, desk.token);
    visitor = await ResumingListener.visitor(here, conversation.token);
    await busIs('ok');
  }, 240_000);
  afterEach(async () => {
    proxy.latency = 0;
    await proxy.heal();
    redis.resume();
    await busIs('ok');
    await untilTypingArrives();
    expect([agent.ends, visitor.ends]).toEqual([[], []]);
    const wrong = running.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error' || level === 'fatal'));
    expect(wrong).toEqual([]);
    expect(running.flatMap(({ otherOutput }) => otherOutput)).toEqual([]);
  });
  afterAll(async () => {
    agent.close();
    visitor.close();
    await Promise.all(running.map(service => service.kill()));
    await proxy.stop();
    await redis.kill();
    await database.drop();
  });

  async function busIs(state: string): Promise<void> {
    for (const url of [here, there]) {
      const look = async () => (await call('GET', `${url}/readyz`)).body.bus === state || undefined;
      await eventually(look, 20_000);
    }
  }

  /** Checks that the bus works again: typing, which only the bus carries, reaches the other instance. */
  async function untilTypingArrives(): Promise<void> {
    const before = agent.frames.length;
    let sentAt = 0;
    await eventually(() => {
      if (performance.now() - sentAt > 500) {
        visitor.send({ type: 'typing.stop', conversation_id: conversation.conversationId });
        visitor.send({ type: 'typing', conversation_id: conversation.conversationId });
        sentAt = performance.now();
      }
      return agent.frames.slice(before).some(({ type }) => type === 'typing') || undefined;
    }, 20_000);
  }

  /** Sends messages both ways. Returns the slowest response time and the slowest delivery time, in milliseconds. */
  async function exchangeMessages(
    times: number,
    beforeEachRound: (time: number) => unknown = () => undefined,
  ): Promise<[number, number]> {
    const path = `/conversations/${conversation.conversationId}/messages`;
    const [answered, delivered] = [[0], [0]];
    for (let time = 0; time < times; time += 1) {
      await beforeEachRound(time);
      for (const [by, to] of [
        [`${here}/v1/widget${path}`, agent],
        [`${there}/v1${path}`, visitor],
      ] as const) {
        const content = `${time} ${Math.random()}`;
        const began = performance.now();
        await callApi('POST', by, to === agent ? conversation.token : desk.token, { content });
        answered.push(performance.now() - began);
        await to.waitForFrame(({ data }) => data?.message?.content === content);
        delivered.push(performance.now() - began);
      }
    }
    return [Math.max(...answered), Math.max(...delivered)];
  }

  async function assertLoginWorks(): Promise<void> {
    for (const url of [here, there]) {
      const session = await callApi('POST', `${url}/v1/auth/login`, undefined, {
        email: desk.email,
        password: PASSWORD,
      });
      expect((await call('GET', `${here}/v1/auth/me`, { token: session.token })).status).toBe(200);
    }
  }

  it.each<[string, () => unknown]>([
    ['slow', () => (proxy.latency = 60)],
    ['slower than the timeout', () => (proxy.latency = 400)],
    ['paused', () => redis.pause()],
    ['unreachable and silent', () => proxy.swallow()],
    ['refusing connections', () => proxy.refuse()],
  ])(
    'Two instances respond, deliver messages and accept logins in time while Redis is %s.',
    async (_how, injectFault) => {
      await injectFault();
      const [answered, delivered] = await exchangeMessages(3);
      await assertLoginWorks();
      expect(answered).toBeLessThan(MAX_WAIT_MS);
      expect(delivered).toBeLessThan(2 * MAX_WAIT_MS);
    },
  );

  it.each<[string, () => unknown]>([
    ['is killed and restarted', () => redis.kill().then(() => redis.start())],
    ['loses all data', () => redis.flush()],
    ['resets its connections', () => proxy.reset()],
  ])('Two instances continue to work while Redis repeatedly %s.', async (_how, injectFault) => {
    const [answered, delivered] = await exchangeMessages(4, injectFault);
    await assertLoginWorks();
    expect(answered).toBeLessThan(MAX_WAIT_MS);
    expect(delivered).toBeLessThan(2 * MAX_WAIT_MS);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { PASSWORD } from '../support/world.js';

jest.setTimeout(60_000);

/** What a request waits for a Redis that says nothing, and what the log's tail needs, with much room for a slow machine. */
const MAX_WAIT_MS = 1_500;

(hasRedis ? describe : describe.skip)('two processes whose Redis', () => {
  let database: TestDatabase;
  let redis: RedisServer;
  let proxy: TcpProxy;
  let here: string;
  let there: string;
  let desk: OutsideDesk;
  let talk: { token: string; conversationId: string };
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
    talk = await beginConversation(here, desk);
    agent = await ResumingListener.agent(there, desk.token);
    visitor = await ResumingListener.visitor(here, talk.token);
    await busIs('ok');
  }, 240_000);
  afterEach(async () => {
    proxy.latency = 0;
    await proxy.heal();
    redis.resume();
    await busIs('ok');
    await typingPasses();
    expect([agent.ends, visitor.ends]).toEqual([[], []]);
    const wrong = running.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error' || level === 'fatal'));
    expect(wrong).toEqual([]);
    expect(running.flatMap(({ otherOutput: words }) => words)).toEqual([]);
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

  /** Right again: what only the bus carries goes from one to the other. */
  async function typingPasses(): Promise<void> {
    const before = agent.frames.length;
    let asked = 0;
    await eventually(() => {
      if (performance.now() - asked > 500) {
        visitor.send({ type: 'typing.stop', conversation_id: talk.conversationId });
        visitor.send({ type: 'typing', conversation_id: talk.conversationId });
        asked = performance.now();
      }
      return agent.frames.slice(before).some(({ type }) => type === 'typing') || undefined;
    }, 20_000);
  }

  /** Both directions, a few times: how long the slowest answer, and the slowest message after its answer, took. */
  async function converse(times: number, amid: (time: number) => unknown = () => undefined): Promise<[number, number]> {
    const path = `/conversations/${talk.conversationId}/messages`;
    const [answered, heard] = [[0], [0]];
    for (let time = 0; time < times; time += 1) {
      await amid(time);
      for (const [by, to] of [
        [`${here}/v1/widget${path}`, agent],
        [`${there}/v1${path}`, visitor],
      ] as const) {
        const content = `${time} ${Math.random()}`;
        const asked = performance.now();
        await callApi('POST', by, to === agent ? talk.token : desk.token, { content });
        answered.push(performance.now() - asked);
        await to.waitForFrame(({ data }) => data?.message?.content === content);
        heard.push(performance.now() - asked);
      }
    }
    return [Math.max(...answered), Math.max(...heard)];
  }

  async function signsIn(): Promise<void> {
    for (const url of [here, there]) {
      const session = await callApi('POST', `${url}/v1/auth/login`, undefined, {
        email: desk.email,
        password: PASSWORD,
      });
      expect((await call('GET', `${here}/v1/auth/me`, { token: session.token })).status).toBe(200);
    }
  }

  it.each<[string, () => unknown]>([
    ['is slow', () => (proxy.latency = 60)],
    ['is slower than anybody waits', () => (proxy.latency = 400)],
    ['is paused', () => redis.pause()],
    ['is out of reach, and says nothing', () => proxy.swallow()],
    ['refuses them', () => proxy.refuse()],
  ])('%s answer and tell in time, and let people in', async (_how, strike) => {
    await strike();
    const [answered, heard] = await converse(3);
    await signsIn();
    expect(answered).toBeLessThan(MAX_WAIT_MS);
    expect(heard).toBeLessThan(2 * MAX_WAIT_MS);
  });

  it.each<[string, () => unknown]>([
    ['is killed and started again', () => redis.kill().then(() => redis.start())],
    ['forgets everything', () => redis.flush()],
    ['cuts its connections', () => proxy.reset()],
  ])('%s again and again go on meanwhile', async (_how, strike) => {
    const [answered, heard] = await converse(4, strike);
    await signsIn();
    expect(answered).toBeLessThan(MAX_WAIT_MS);
    expect(heard).toBeLessThan(2 * MAX_WAIT_MS);
  });
});

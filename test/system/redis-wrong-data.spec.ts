import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import type { OutsideDesk } from '../support/outside.js';
import { callApi, beginConversation, ResumingListener, openDesk } from '../support/outside.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { call, ensureBuilt, ServiceProcess } from '../support/service-process.js';
import { WRONG_MESSAGES, wrongMessage } from '../support/wrong-data.js';

jest.setTimeout(120_000);

const CHANNEL = 'support-chat:0:bus';
/** Wrong passwords that one e-mail address is allowed. */
const GUESSES = 6;
const RUNS = Number(process.env.HOSTILE_RUNS ?? 200);
const SEED = process.env.HOSTILE_SEED;

(hasRedis ? describe : describe.skip)('Two instances whose Redis contains foreign data', () => {
  let database: TestDatabase;
  let server: RedisServer;
  let redis: Redis;
  let urls: string[] = [];
  let desk: OutsideDesk;
  let conversation: { token: string; conversationId: string };
  let agent: ResumingListener;
  let visitor: ResumingListener;
  let services: ServiceProcess[] = [];

  beforeAll(async () => {
    ensureBuilt();
    [database, server] = await Promise.all([cloneDatabase(), RedisServer.start()]);
    redis = new Redis(server.url);
    const rates =
      'register=10000/60,widget_session=10000/60,visitor=100000/60,visitor_message=100000/60,agent=100000/60';
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: server.url,
      WS_PRESENCE_TTL_MS: '3000',
      WS_PING_INTERVAL_MS: '500',
      RATE_LIMITS: `${rates},login=${GUESSES}/600,login_email=${GUESSES}/600,login_address=100000/60`,
    };
    services = [1, 2].map(() => ServiceProcess.start(env));
    urls = await Promise.all(services.map(service => service.url(60_000)));
    desk = await openDesk(urls[0] ?? '');
    conversation = await beginConversation(urls[0] ?? '', desk);
    agent = await ResumingListener.agent(urls[1] ?? '', desk.token);
    visitor = await ResumingListener.visitor(urls[0] ?? '', conversation.token);
    await assertBusWorks();
  }, 240_000);
  afterEach(async () => {
    expect(services.map(({ child }) => child.exitCode)).toEqual([null, null]);
    expect(services.flatMap(({ otherOutput }) => otherOutput)).toEqual([]);
    expect([agent.ends, visitor.ends]).toEqual([[], []]);
    await assertBusWorks();
  });
  afterAll(async () => {
    agent.close();
    visitor.close();
    await Promise.all(services.map(service => service.kill()));
    redis.disconnect();
    await server.kill();
    await database.drop();
  });

  /** Checks that both instances are ready and that typing, which only the bus carries, passes between them. */
  async function assertBusWorks(): Promise<void> {
    for (const url of urls) await eventually(async () => (await readiness(url)) === 'ready ok' || undefined, 20_000);
    const before = agent.frames.length;
    let sentAt = 0;
    await eventually(() => {
      if (performance.now() - sentAt > 2_100) {
        visitor.send({ type: 'typing', conversation_id: conversation.conversationId });
        sentAt = performance.now();
      }
      return agent.frames.slice(before).some(({ type }) => type === 'typing') || undefined;
    }, 20_000);
  }

  async function readiness(url: string): Promise<string> {
    const answer = await call('GET', `${url}/readyz`).catch(() => null);
    return `${answer?.body?.status} ${answer?.body?.bus}`;
  }

  async function publishAll(messages: readonly string[]): Promise<void> {
    for (const message of messages) await redis.publish(CHANNEL, message);
    // The channel keeps its order: once this message has arrived, all others have too.
    const content = `after ${messages.length} messages ${Math.random()}`;
    const path = `${urls[0]}/v1/widget/conversations/${conversation.conversationId}/messages`;
    await callApi('POST', path, conversation.token, { content });
    await agent.waitForFrame(({ data }) => data?.message?.content === content, 30_000);
  }

  const countDropped = async (source: string) => {
    const texts = await Promise.all(urls.map(async url => (await fetch(`${url}/metrics`)).text()));
    const count = new RegExp(`^redis_invalid_data_total\\{source="${source}"\\} (\\d+)$`, 'm');
    return texts.map(text => Number(count.exec(text)?.[1] ?? 0));
  };

  const seen = async () => {
    const { items } = await callApi('GET', `${urls[0]}/v1/workspace/members`, desk.token);
    return (items as { availability: string }[]).map(({ availability }) => availability);
  };

  it('Invalid messages on the bus are dropped and counted, and logged at most once a minute per kind.', async () => {
    await publishAll(WRONG_MESSAGES);
    for (const count of await countDropped('fanout')) expect(count).toBeGreaterThan(60);
    const lines = services.map(({ lines }) => lines.filter(({ msg }) => /invalid data from Redis/.test(String(msg))));
    for (const warnings of lines) {
      expect(warnings.length).toBeGreaterThan(0);
      expect(warnings.length).toBeLessThan(8);
      expect(new Set(warnings.map(({ level }) => level))).toEqual(new Set(['warn']));
    }
  });

  it('Random messages on the bus crash no instance.', async () => {
    const seed = SEED === undefined ? {} : { seed: Number(SEED) };
    const messages = fc.sample(wrongMessage, { numRuns: RUNS, ...seed });
    await publishAll(messages);
  });

  it.each<[string, (keys: string[]) => Promise<unknown>]>([
    ['keys of another type', keys => Promise.all(keys.map(key => redis.del(key).then(() => redis.set(key, 'text'))))],
    [
      'an index of another type',
      () => redis.del('presence:instances').then(() => redis.hset('presence:instances', 'a', 'b')),
    ],
    [
      'an index with ids of no instance',
      () => redis.sadd('presence:instances', '', 'a b', 'x'.repeat(10_000), '\u0000'),
    ],
    ['versions that are not numbers', keys => Promise.all(keys.map(key => redis.hset(key, '', 'NaN')))],
    ['a version beyond any number', keys => Promise.all(keys.map(key => redis.hset(key, '', '9'.repeat(400))))],
    ['pages without a version', keys => Promise.all(keys.map(key => redis.hdel(key, '')))],
    [
      'entries for unknown subjects',
      keys => Promise.all(keys.map(key => redis.hset(key, { nospace: '{', ' x': 'y', 'a b': 'c' }))),
    ],
    [
      'invalid metadata of a member',
      keys => Promise.all(keys.map(key => redis.hset(key, `members:${desk.workspaceId} ${desk.memberId}`, '{"a":'))),
    ],
  ])('%s in the presence store are repaired, and both instances show presence again.', async (_case, corrupt) => {
    await eventually(async () => (await seen()).includes('online') || undefined, 20_000);
    const keys = (await redis.keys('presence:*')).filter(key => key !== 'presence:instances');
    expect(keys.length).toBeGreaterThanOrEqual(2);
    await corrupt(keys);
    const newcomer = await ResumingListener.agent(urls[0] ?? '', desk.token);
    newcomer.close();
    const whole = async () => {
      const types = await Promise.all(keys.map(key => redis.type(key)));
      const versions = await Promise.all(keys.map(key => redis.hget(key, '').catch(() => null)));
      const index = await redis.type('presence:instances');
      return (
        types.every(type => type === 'hash') && versions.every(text => /^\d{1,15}$/.test(text ?? '')) && index === 'set'
      );
    };
    await eventually(
      async () => (await whole()) || undefined,
      20_000,
      async () => ({ keys, types: await Promise.all(keys.map(key => redis.type(key))) }),
    );
    await eventually(async () => (await seen()).includes('online') || undefined, 20_000);
    for (const url of urls) {
      expect(
        (await call('POST', `${url}/v1/widget/session`, { body: { widget_token: desk.widgetToken } })).status,
      ).toBe(200);
    }
    const wrong = services.flatMap(({ lines }) => lines.filter(({ level }) => level === 'error' || level === 'fatal'));
    expect(wrong).toEqual([]);
  });

  it.each(['text', 'hash', 'list'])(
    'Password guesses are limited even if their counter in Redis is a %s.',
    async kind => {
      const body = { email: `${kind}@guessed.example.com`, password: 'not the password' };
      const guess = () => call('POST', `${urls[0]}/v1/auth/login`, { body });
      const before = new Set(await redis.keys('rate:login*'));
      await guess();
      const counters = (await redis.keys('rate:login*')).filter(key => !before.has(key));
      expect(counters.length).toBeGreaterThan(0);
      for (const key of counters) {
        await redis.del(key);
        if (kind === 'text') await redis.set(key, 'text');
        else if (kind === 'hash') await redis.hset(key, 'a', 'b');
        else await redis.lpush(key, 'a');
      }
      const answers: number[] = [];
      for (let times = 0; times < 12; times += 1) {
        const { status, headers } = await guess();
        answers.push(status);
        for (const [name, value] of headers) if (name.startsWith('ratelimit-')) expect(value).toMatch(/^\d+$/);
      }
      expect([...new Set(answers)]).toEqual([401, 429]);
      expect(answers.filter(status => status === 401).length).toBeLessThanOrEqual(GUESSES);
      for (const key of counters) await redis.del(key);
    },
  );
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RateLimited } from '../../src/kernel/errors.js';
import { RateLimitService } from '../../src/platform/limits/rate-limit.service.js';
import { RedisClient } from '../../src/platform/redis/redis-client.js';
import { eventually } from '../support/eventually.js';
import { race } from '../support/race.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import type { Desk } from '../support/world.js';
import { unique, World } from '../support/world.js';

const LIMIT = 40;
/** Few enough that Redis answers each in its time on a slow machine: an instance counts alone while Redis is late. */
const AT_ONCE = 20;

(hasRedis ? describe : describe.skip)('Rate limits that two instances count in one Redis', () => {
  let redis: RedisServer;
  let one: World;
  let other: World;

  beforeAll(async () => {
    redis = await RedisServer.start();
    const env = {
      REDIS_URL: redis.url,
      RATE_LIMITS: `register=1000/60,agent=${LIMIT}/600,api_key=100000/60,upload_bytes_address=10/600`,
    };
    one = await World.start(env);
    other = await World.start(env, { database: one.app.database });
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
    await redis.kill();
  });

  /** Sends requests alternately to both instances. Returns how many succeeded. */
  async function spread(desk: Desk, count: number): Promise<number> {
    let allowed = 0;
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const answers = await race(AT_ONCE, index =>
        (index % 2 === 0 ? one : other).as(desk.owner.token).get('/v1/workspace'),
      );
      allowed += answers.filter(({ status }) => status === 200).length;
    }
    return allowed;
  }

  it('A rate limit applies to both instances together.', async () => {
    const desk = await one.desk();
    const spent = LIMIT - Number((await one.as(desk.owner.token).get('/v1/workspace')).headers['ratelimit-remaining']);
    expect(await spread(desk, 2 * LIMIT)).toBe(LIMIT - spent);
    expect((await other.as(desk.owner.token).get('/v1/workspace')).headers['ratelimit-remaining']).toBe('0');
  });

  it('Rate limit keys are hashed: Redis contains no e-mail or IP address.', async () => {
    const email = `${unique('forgetful')}@example.com`;
    expect((await one.anyone.post('/v1/auth/password/forgot', { email })).status).toBe(200);
    const keys = (await one.app.app.get(RedisClient).client?.keys('rate:*')) ?? [];
    expect(keys.some(key => key.startsWith('rate:password_forgot:'))).toBe(true);
    expect(keys.filter(key => !/^rate:[a-z_]+:[\w-]{22}$/.test(key))).toEqual([]);
  });

  it('Points that one instance gives back are free on both at once, also where a key was past its limit.', async () => {
    const [here, there] = [one, other].map(({ app }) => app.app.get(RateLimitService));
    const address = unique('address');
    const giveBack = await here?.reserve('upload_bytes_address', address, 8);
    for (const limiter of [here, there]) {
      await expect(limiter?.reserve('upload_bytes_address', address, 3)).rejects.toThrow(RateLimited);
    }
    await giveBack?.(6);
    await there?.reserve('upload_bytes_address', address, 8);
    await expect(here?.reserve('upload_bytes_address', address, 1)).rejects.toThrow(RateLimited);
  });

  it('Each instance counts on its own while Redis is down, and no request fails because of it.', async () => {
    const desk = await one.desk();
    await redis.kill();
    expect(await spread(desk, 4 * LIMIT)).toBe(2 * LIMIT);
    await redis.start();
    const fresh = await one.desk();
    await eventually(async () => {
      await one.as(fresh.owner.token).get('/v1/workspace');
      const answer = await other.as(fresh.owner.token).get('/v1/workspace');
      return Number(answer.headers['ratelimit-remaining']) < LIMIT - 2 || undefined;
    });
  });

  it('A hung Redis delays requests for a moment but does not fail them.', async () => {
    const desk = await one.desk();
    await eventually(() => one.app.app.get(RedisClient).ready || undefined);
    redis.pause();
    try {
      // A wrong password makes six calls to Redis; only the first one waits.
      const began = performance.now();
      const guess = { email: desk.owner.email, password: 'not this one at all' };
      expect((await one.anyone.post('/v1/auth/login', guess)).status).toBe(401);
      expect(performance.now() - began).toBeLessThan(1_000);
      const answers = await race(10, () => one.as(desk.owner.token).get('/v1/workspace'));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    } finally {
      redis.resume();
    }
  });

  it('A hung Redis loses its connection once, however many commands it leaves unanswered.', async () => {
    const { client } = one.app.app.get(RedisClient);
    const answered = () => eventually(() => client!.ping().catch(() => undefined));
    await answered();
    const disconnect = jest.spyOn(client!, 'disconnect');
    redis.pause();
    try {
      const answers = await race(30, () => client!.ping().catch((error: Error) => error.message));
      expect(answers).toEqual(Array(30).fill('Command timed out'));
      expect(disconnect).toHaveBeenCalledTimes(1);
    } finally {
      redis.resume();
      disconnect.mockRestore();
    }
    await answered();
  });
});

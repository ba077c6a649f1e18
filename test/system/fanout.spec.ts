import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { MemoryFanout } from '../../src/platform/fanout/fanout.memory.js';
import { RedisFanout } from '../../src/platform/fanout/fanout.redis.js';
import { eventually } from '../support/eventually.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { fanoutSuite, isAnything } from './fanout.suite.js';

// Silences the log: errors of listeners are logged, and some listeners throw on purpose.
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error']));

fanoutSuite({
  name: 'MemoryFanout',
  instances: () => Promise.resolve([new MemoryFanout()]),
  subscribed: () => Promise.resolve(),
});

(hasRedis ? describe : describe.skip)('RedisFanout on a real Redis', () => {
  let server: RedisServer;
  const clients: Redis[] = [];
  let refused = 0;
  const invalid = { record: () => void (refused += 1) };
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await server.kill();
  });

  async function instance(database = 0): Promise<RedisFanout> {
    const client = new Redis(`${server.url}/${database}`, { enableOfflineQueue: false, commandTimeout: 250 });
    client.on('error', () => undefined);
    clients.push(client);
    await eventually(() => client.status === 'ready' || undefined);
    const fanout = new RedisFanout(client, invalid);
    await fanout.listening;
    return fanout;
  }

  fanoutSuite({
    name: 'RedisFanout',
    instances: () => Promise.all([instance(), instance(), instance()]),
    subscribed: () => Promise.resolve(),
  });

  it('RedisFanout does not deliver to instances on another Redis database number', async () => {
    const [one, other] = [await instance(1), await instance(2)];
    const received: unknown[] = [];
    other.subscribe('weather', isAnything, body => received.push(body));
    other.subscribe('end', isAnything, () => received.push('end'));
    one.publish('weather', 1);
    const again = await instance(1);
    await new Promise<void>(resolve => {
      again.subscribe('weather', isAnything, () => resolve());
      one.publish('weather', 2);
    });
    other.publish('end', 1);
    expect(await eventually(() => (received.length > 0 ? received : undefined))).toEqual(['end']);
    for (const fanout of [one, other, again]) await fanout.close();
  });

  it('RedisFanout delivers locally and is unhealthy while Redis is down, and recovers afterwards', async () => {
    const [one, other] = [await instance(), await instance()];
    const [local, remote]: [unknown[], unknown[]] = [[], []];
    one.subscribe('weather', isAnything, body => local.push(body));
    other.subscribe('weather', isAnything, body => remote.push(body));
    await server.kill();
    one.publish('weather', 'alone');
    await eventually(() => (local.length === 1 ? local : undefined));
    await eventually(() => (!one.healthy() && !other.healthy()) || undefined, 8_000);
    await server.start();
    await eventually(() => (one.healthy() && other.healthy()) || undefined, 15_000);
    one.publish('weather', 'together');
    expect(await eventually(() => (remote.length > 0 ? remote : undefined))).toEqual(['together']);
    for (const fanout of [one, other]) await fanout.close();
  });

  it('RedisFanout becomes unhealthy while Redis hangs, and recovers afterwards', async () => {
    const [one, other] = [await instance(), await instance()];
    const received: unknown[] = [];
    other.subscribe('weather', isAnything, body => received.push(body));
    server.pause();
    try {
      await eventually(() => (!one.healthy() && !other.healthy()) || undefined, 8_000);
    } finally {
      server.resume();
    }
    await eventually(() => (one.healthy() && other.healthy()) || undefined, 15_000);
    one.publish('weather', 'again');
    await eventually(() => received.includes('again') || undefined);
    for (const fanout of [one, other]) await fanout.close();
  });
});

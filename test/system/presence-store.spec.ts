import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RedisFanout } from '../../src/platform/fanout/fanout.redis.js';
import { MemoryPresenceStore } from '../../src/platform/presence/presence-store.memory.js';
import { RedisPresenceStore } from '../../src/platform/presence/presence-store.redis.js';
import type { PresenceChange } from '../../src/platform/presence/presence-change.js';
import { eventually } from '../support/eventually.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { presenceStoreSuite } from './presence-store.suite.js';

// Silences the log: errors of listeners are logged, and one listener throws on purpose.
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error']));

presenceStoreSuite({ name: 'MemoryPresenceStore', instances: () => Promise.resolve([new MemoryPresenceStore()]) });

/** Long enough not to expire by accident on a slow machine, short enough to wait for. */
const TTL_MS = 3_000;

(hasRedis ? describe : describe.skip)('RedisPresenceStore on a real Redis', () => {
  let server: RedisServer;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await server.kill();
  });

  /** Invalid data that was reported, as "source: kind". */
  const refused: string[] = [];
  const invalid = { record: (source: string, kind: string) => void refused.push(`${source}: ${kind}`) };

  interface Instance {
    store: RedisPresenceStore;
    client: Redis;
    fanout: RedisFanout;
    /** Disconnects without cleaning up, as a killed process does. */
    die(): Promise<void>;
  }

  async function instance(ttlMs = TTL_MS): Promise<Instance> {
    const client = new Redis(server.url, { enableOfflineQueue: false, commandTimeout: 400, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    await eventually(() => client.status === 'ready' || undefined);
    const fanout = new RedisFanout(client, invalid);
    await fanout.listening;
    const store = new RedisPresenceStore(client, fanout, ttlMs, invalid);
    await store.ready;
    ends.push(async () => {
      await store.close(0);
      await fanout.close();
      client.disconnect();
    });
    const die = async () => {
      client.disconnect();
      await fanout.close();
      await store.close(0);
    };
    return { store, client, fanout, die };
  }

  /** A new room for each test: entries of instances that died in other tests are still in Redis. */
  let room: string;
  beforeEach(() => {
    room = `room-${randomUUID()}`;
  });
  const isPresent = (at: Instance, id: string) => at.store.findMetadata(room, id) !== undefined;
  const until = (condition: () => boolean, ms = 10_000) => eventually(() => condition() || undefined, ms);

  presenceStoreSuite({
    name: 'RedisPresenceStore',
    instances: async () => {
      const stores = (await Promise.all([instance(), instance(), instance()])).map(({ store }) => store);
      const readyRoom = `ready-${randomUUID()}`;
      stores.forEach((store, index) => store.enter(readyRoom, `${index}`, ''));
      await until(() => stores.every(store => store.listPresent(readyRoom).size === stores.length));
      return stores;
    },
  });

  it('A new instance loads all 2,500 subjects that are present on another', async () => {
    const one = await instance();
    for (let index = 0; index < 2_500; index += 1) one.store.enter(room, `${index}`, 'x');
    const late = await instance();
    await until(() => late.store.listPresent(room).size === 2_500);
    for (const { die } of [one, late]) await die();
  });

  it('Subjects of a dead instance expire within the time to live, except those present on another', async () => {
    const [one, dying] = [await instance(), await instance()];
    dying.store.enter(room, 'ada', 'x');
    dying.store.enter(room, 'mark', 'x');
    one.store.enter(room, 'mark', 'x');
    await until(() => isPresent(one, 'ada'));
    const gone: PresenceChange[] = [];
    one.store.listen(change => change.group === room && gone.push(change));
    await dying.die();
    const diedAt = Date.now();
    await until(() => !isPresent(one, 'ada'), 3 * TTL_MS);
    expect(Date.now() - diedAt).toBeLessThan(TTL_MS * 1.5);
    expect(gone.map(({ id, after }) => [id, after])).toEqual([['ada', undefined]]);
    // The time of the instance's last heartbeat, not of its expiry.
    expect(gone[0]?.at).toBeLessThanOrEqual(diedAt + 50);
    await one.die();
  });

  it('Subjects of a closing instance stay present for its grace period, and no longer', async () => {
    const [one, ending] = [await instance(60_000), await instance(60_000)];
    ending.store.enter(room, 'ada', 'x');
    await until(() => isPresent(one, 'ada'));
    const left = new Promise<number>(resolve =>
      one.store.listen(change => change.group === room && resolve(performance.now())),
    );
    const closedAt = performance.now();
    await ending.store.close(400);
    expect((await left) - closedAt).toBeGreaterThan(350);
    expect(isPresent(one, 'ada')).toBe(false);
    for (const { die } of [one, ending]) await die();
  });

  it('After Redis has lost its data, instances write theirs again and no listener is called', async () => {
    const [one, other] = [await instance(), await instance()];
    one.store.enter(room, 'ada', 'x');
    other.store.enter(room, 'mark', 'x');
    await until(() => isPresent(one, 'mark') && isPresent(other, 'ada'));
    const changes: PresenceChange[] = [];
    for (const { store } of [one, other]) store.listen(change => change.group === room && changes.push(change));
    await server.flush();
    const late = await instance();
    await until(() => isPresent(late, 'ada') && isPresent(late, 'mark'));
    await eventually(async () => (await one.client.smembers('presence:instances')).length >= 2 || undefined);
    expect(changes).toEqual([]);
    for (const { die } of [one, other, late]) await die();
  });

  it('After a restart of Redis, an instance knows who is present, including changes made meanwhile', async () => {
    const [one, other] = [await instance(), await instance()];
    one.store.enter(room, 'ada', 'x');
    await until(() => isPresent(other, 'ada'));
    const changes: PresenceChange[] = [];
    other.store.listen(change => change.group === room && changes.push(change));
    await server.kill();
    one.store.enter(room, 'mark', 'x');
    expect(isPresent(one, 'mark')).toBe(true);
    await server.start();
    await until(() => isPresent(other, 'mark'));
    expect(changes.map(({ id, after }) => [id, after])).toEqual([['mark', 'x']]);
    for (const { die } of [one, other]) await die();
  });

  it('Subjects of other instances expire when Redis is down for a time to live, and return with Redis', async () => {
    const [one, other] = [await instance(600), await instance(600)];
    one.store.enter(room, 'ada', 'x');
    await until(() => isPresent(other, 'ada'));
    await server.kill();
    await until(() => !isPresent(other, 'ada'));
    expect(isPresent(one, 'ada')).toBe(true);
    await server.start();
    await until(() => isPresent(other, 'ada'), 15_000);
    for (const { die } of [one, other]) await die();
  });

  it('An instance that misses a message reads the sender’s full state', async () => {
    const [one, other] = [await instance(), await instance()];
    one.store.enter(room, 'ada', 'x');
    await until(() => isPresent(other, 'ada'));
    const publish = one.fanout.publish.bind(one.fanout);
    one.fanout.publish = () => undefined;
    one.store.enter(room, 'lost', 'x');
    one.store.leave(room, 'ada');
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    one.fanout.publish = publish;
    one.store.enter(room, 'mark', 'x');
    await until(() => isPresent(other, 'lost') && isPresent(other, 'mark') && !isPresent(other, 'ada'), 2_000);
    for (const { die } of [one, other]) await die();
  });
});

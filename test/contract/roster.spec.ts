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
import { rosterSuite } from './roster.suite.js';

// what listeners throw is logged, and one throws on purpose
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(['error']));

rosterSuite({ name: 'MemoryPresenceStore', instances: () => Promise.resolve([new MemoryPresenceStore()]) });

/** Long enough for a slow machine to miss nothing, short enough to be waited for. */
const TTL_MS = 3_000;

(hasRedis ? describe : describe.skip)('over a real Redis', () => {
  let server: RedisServer;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await server.kill();
  });

  /** What was refused, by kind. */
  const refused: string[] = [];
  const invalid = { record: (source: string, kind: string) => void refused.push(`${source}: ${kind}`) };

  interface Instance {
    roster: RedisPresenceStore;
    client: Redis;
    fanout: RedisFanout;
    /** As if its process had been killed. */
    die(): Promise<void>;
  }

  async function instance(ttlMs = TTL_MS): Promise<Instance> {
    const client = new Redis(server.url, { enableOfflineQueue: false, commandTimeout: 400, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    await eventually(() => client.status === 'ready' || undefined);
    const fanout = new RedisFanout(client, invalid);
    await fanout.listening;
    const roster = new RedisPresenceStore(client, fanout, ttlMs, invalid);
    await roster.ready;
    ends.push(async () => {
      await roster.close(0);
      await fanout.close();
      client.disconnect();
    });
    const die = async () => {
      client.disconnect();
      await fanout.close();
      await roster.close(0);
    };
    return { roster, client, fanout, die };
  }

  /** A room of each test's own: pages of instances that died in others are still there. */
  let room: string;
  beforeEach(() => {
    room = `room-${randomUUID()}`;
  });
  const knows = (at: Instance, who: string) => at.roster.findMetadata(room, who) !== undefined;
  const until = (says: () => boolean, ms = 10_000) => eventually(() => says() || undefined, ms);

  rosterSuite({
    name: 'RedisPresenceStore',
    instances: async () => {
      const rosters = (await Promise.all([instance(), instance(), instance()])).map(({ roster }) => roster);
      const hall = `hall-${randomUUID()}`;
      rosters.forEach((roster, index) => roster.enter(hall, `${index}`, ''));
      await until(() => rosters.every(roster => roster.listPresent(hall).size === rosters.length));
      return rosters;
    },
  });

  it('tells an instance that comes later of everybody who is there', async () => {
    const one = await instance();
    for (let index = 0; index < 2_500; index += 1) one.roster.enter(room, `${index}`, 'x');
    const late = await instance();
    await until(() => late.roster.listPresent(room).size === 2_500);
    for (const { die } of [one, late]) await die();
  });

  it('forgets an instance that died within its time to live and keeps whom others hold too', async () => {
    const [one, dying] = [await instance(), await instance()];
    dying.roster.enter(room, 'ada', 'x');
    dying.roster.enter(room, 'mark', 'x');
    one.roster.enter(room, 'mark', 'x');
    await until(() => knows(one, 'ada'));
    const gone: PresenceChange[] = [];
    one.roster.listen(change => change.group === room && gone.push(change));
    await dying.die();
    const diedAt = Date.now();
    await until(() => !knows(one, 'ada'), 3 * TTL_MS);
    expect(Date.now() - diedAt).toBeLessThan(TTL_MS * 1.5);
    expect(gone.map(({ id, after }) => [id, after])).toEqual([['ada', undefined]]);
    // the last sign of it, not the moment in which it was missed
    expect(gone[0]?.at).toBeLessThanOrEqual(diedAt + 50);
    await one.die();
  });

  it('holds what an instance that ends has entered for the grace that it asked for, and no longer', async () => {
    const [one, ending] = [await instance(60_000), await instance(60_000)];
    ending.roster.enter(room, 'ada', 'x');
    await until(() => knows(one, 'ada'));
    const left = new Promise<number>(resolve =>
      one.roster.listen(change => change.group === room && resolve(performance.now())),
    );
    const asked = performance.now();
    await ending.roster.close(400);
    expect((await left) - asked).toBeGreaterThan(350);
    expect(knows(one, 'ada')).toBe(false);
    for (const { die } of [one, ending]) await die();
  });

  it('notices nothing when Redis forgets everything: each writes its own page again', async () => {
    const [one, other] = [await instance(), await instance()];
    one.roster.enter(room, 'ada', 'x');
    other.roster.enter(room, 'mark', 'x');
    await until(() => knows(one, 'mark') && knows(other, 'ada'));
    const heard: PresenceChange[] = [];
    for (const { roster } of [one, other]) roster.listen(change => change.group === room && heard.push(change));
    await server.flush();
    const late = await instance();
    await until(() => knows(late, 'ada') && knows(late, 'mark'));
    await eventually(async () => (await one.client.smembers('roster:instances')).length >= 2 || undefined);
    expect(heard).toEqual([]);
    for (const { die } of [one, other, late]) await die();
  });

  it('knows at once again who is there after Redis was restarted, and what changed meanwhile', async () => {
    const [one, other] = [await instance(), await instance()];
    one.roster.enter(room, 'ada', 'x');
    await until(() => knows(other, 'ada'));
    const heard: PresenceChange[] = [];
    other.roster.listen(change => change.group === room && heard.push(change));
    await server.kill();
    one.roster.enter(room, 'mark', 'x');
    expect(knows(one, 'mark')).toBe(true);
    await server.start();
    await until(() => knows(other, 'mark'));
    expect(heard.map(({ id, after }) => [id, after])).toEqual([['mark', 'x']]);
    for (const { die } of [one, other]) await die();
  });

  it('goes on alone once Redis has been away for a time to live, and together when it is back', async () => {
    const [one, other] = [await instance(600), await instance(600)];
    one.roster.enter(room, 'ada', 'x');
    await until(() => knows(other, 'ada'));
    await server.kill();
    await until(() => !knows(other, 'ada'));
    expect(knows(one, 'ada')).toBe(true);
    await server.start();
    await until(() => knows(other, 'ada'), 15_000);
    for (const { die } of [one, other]) await die();
  });

  it('reads the page where a message was lost on the way', async () => {
    const [one, other] = [await instance(), await instance()];
    one.roster.enter(room, 'ada', 'x');
    await until(() => knows(other, 'ada'));
    const publish = one.fanout.publish.bind(one.fanout);
    one.fanout.publish = () => undefined;
    one.roster.enter(room, 'lost', 'x');
    one.roster.leave(room, 'ada');
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    one.fanout.publish = publish;
    one.roster.enter(room, 'mark', 'x');
    await until(() => knows(other, 'lost') && knows(other, 'mark') && !knows(other, 'ada'), 2_000);
    for (const { die } of [one, other]) await die();
  });
});

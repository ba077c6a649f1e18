import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssignmentPlay } from '../support/assignment-play.js';
import { countWrongLoads, strayAssignmentRows } from '../support/assignments.js';
import { RACE_SEEDS } from '../support/race.js';
import { hasRedis, RedisServer } from '../support/redis.js';
import { TwoInstances } from '../support/two-instances.js';

/** A seed takes some seconds, so few are played unless told otherwise. */
const SEEDS = process.env.RACE_SEEDS === undefined ? 2 : RACE_SEEDS;
const FIRST_SEED = Number(process.env.ASSIGNMENT_SEED ?? 1);
/** The contract's two seconds, on a busy machine. */
const WAIT_MS = 10_000;
const seeds = Array.from({ length: SEEDS }, (_nothing, index) => FIRST_SEED + index);

describe.each([
  ['with Redis', true],
  ['without Redis', false],
])('Two instances %s', (_how, withRedis) => {
  const its = withRedis && !hasRedis ? it.skip : it;
  let redis: RedisServer | undefined;
  let instances: TwoInstances;
  beforeAll(async () => {
    if (withRedis && !hasRedis) return;
    redis = withRedis ? await RedisServer.start() : undefined;
    instances = await TwoInstances.start({ WS_PRESENCE_GRACE_MS: '100', ...(redis ? { REDIS_URL: redis.url } : {}) });
  });
  afterAll(async () => {
    await instances?.stop();
    await redis?.kill();
  });

  its.each(seeds)(
    'Seed %d: 200 conversations and 20 agents who come and go: none is assigned twice, no capacity is passed, and none waits while a member is free.',
    async seed => {
      const play = new AssignmentPlay(instances.worlds, instances.database, seed);
      try {
        await play.run();
        expect(play.longestPairMs).toBeLessThan(WAIT_MS);
        expect(await play.findFaults()).toEqual([]);
        expect(await strayAssignmentRows(instances.database)).toEqual([]);
        expect(await countWrongLoads(instances.worlds[0])).toBe(0);
      } finally {
        await play.stop();
      }
    },
    120_000,
  );
});

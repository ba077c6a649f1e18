import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { WRONG_MESSAGES } from '../../support/wrong-data.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Bus, Stage } from '../stage.js';

const needs = ({ bus }: Stage) => (bus ? null : 'there is no Redis between the instances');

const broken = (name: string, inject: (bus: Bus, random: () => number) => Promise<void>): Fault => ({
  number: 'F4',
  name,
  needs,
  inject: async ({ stage, random }) => inject(stage.bus as Bus, random),
});

/** The channel that instances use to reach each other. */
const CHANNEL = 'support-chat:0:bus';

/** Every kind of wrong data in Redis. A control runs it against a service that trusts Redis. */
export const WRONG_DATA: Fault = {
  number: 'F17',
  name: 'Redis holds and sends data that no instance wrote',
  needs,
  async inject({ stage, random }) {
    const redis = new Redis((stage.bus as Bus).server.url);
    redis.on('error', () => undefined);
    try {
      for (const message of WRONG_MESSAGES) await redis.publish(CHANNEL, message);
      for (let round = 0; round < 10; round += 1) {
        for (let count = 0; count < 20; count += 1) await redis.publish(CHANNEL, pick(random, WRONG_MESSAGES));
        for (const key of await redis.keys('presence:*')) await corrupt(redis, key, random);
        await delay(random() * 200);
      }
    } finally {
      redis.disconnect();
    }
  },
};

async function corrupt(redis: Redis, key: string, random: () => number): Promise<void> {
  const kind = await redis.type(key);
  if (kind === 'hash' && random() < 0.5) await redis.hset(key, pick(random, ['', 'nospace', 'a b']), '{');
  else if (kind === 'set' && random() < 0.5) await redis.sadd(key, 'no instance', '\0');
  else await redis.set(key, 'text');
}

/** Redis that dies, hangs, lags or loses data. It may cost latency, never messages. */
export const BUS_FAULTS: readonly Fault[] = [
  broken('Redis is killed and restarts', async ({ server }, random) => {
    await server.kill();
    await delay(500 + random() * 1_500);
    await server.start();
  }),
  broken('Redis is paused', async ({ server }, random) => {
    server.pause();
    await delay(500 + random() * 3_500);
    server.resume();
  }),
  broken('Redis accepts commands and never answers', async ({ proxy }, random) => {
    proxy.swallow();
    await delay(500 + random() * 3_500);
  }),
  broken('Redis answers slowly', async ({ proxy }, random) => {
    proxy.latency = 50 + random() * 300;
    await delay(2_000);
  }),
  {
    number: 'F4',
    name: 'one publish in ten is lost',
    async inject({ stage }) {
      const rule = { point: 'publish', action: 'drop', after: 2, every: 9, times: 1_000 } as const;
      await Promise.all(stage.instances.map(instance => instance.arm(rule)));
      await delay(2_000);
    },
  },
  WRONG_DATA,
];

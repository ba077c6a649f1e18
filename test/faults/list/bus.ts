import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { WRONG_MESSAGES } from '../../support/wrong-data.js';
import type { Fault } from '../fault.js';
import { pick } from '../fault.js';
import type { Bus, Stage } from '../stage.js';

const needs = ({ bus }: Stage) => (bus ? null : 'there is no Redis between the instances');

const broken = (name: string, strike: (bus: Bus, random: () => number) => Promise<void>): Fault => ({
  number: 'F4',
  name,
  needs,
  strike: async ({ stage, random }) => strike(stage.bus as Bus, random),
});

/** The channel on which instances speak to each other. */
const CHANNEL = 'support-chat:0:bus';

/** Wrong data in Redis, of every kind. The control plays it against a service that believes it. */
export const WRONG_DATA: Fault = {
  number: 'F17',
  name: 'Redis holds and sends what no instance has written',
  needs,
  async strike({ stage, random }) {
    const redis = new Redis((stage.bus as Bus).server.url);
    redis.on('error', () => undefined);
    try {
      for (const message of WRONG_MESSAGES) await redis.publish(CHANNEL, message);
      for (let round = 0; round < 10; round += 1) {
        for (let count = 0; count < 20; count += 1) await redis.publish(CHANNEL, pick(random, WRONG_MESSAGES));
        for (const key of await redis.keys('roster:*')) await spoil(redis, key, random);
        await delay(random() * 200);
      }
    } finally {
      redis.disconnect();
    }
  },
};

async function spoil(redis: Redis, key: string, random: () => number): Promise<void> {
  const kind = await redis.type(key);
  if (kind === 'hash' && random() < 0.5) await redis.hset(key, pick(random, ['', 'nospace', 'a b']), '{');
  else if (kind === 'set' && random() < 0.5) await redis.sadd(key, 'no instance', '\0');
  else await redis.set(key, 'text');
}

/** A Redis that dies, hangs, lags or loses: it costs latency, not messages. */
export const BUS_FAULTS: readonly Fault[] = [
  broken('Redis is killed, and starts again', async ({ server }, random) => {
    await server.kill();
    await delay(500 + random() * 1_500);
    await server.start();
  }),
  broken('Redis is paused', async ({ server }, random) => {
    server.pause();
    await delay(500 + random() * 3_500);
    server.resume();
  }),
  broken('Redis takes commands and answers nothing', async ({ proxy }, random) => {
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
    async strike({ stage }) {
      const rule = { point: 'publish', action: 'drop', after: 2, every: 9, times: 1_000 } as const;
      await Promise.all(stage.instances.map(instance => instance.arm(rule)));
      await delay(2_000);
    },
  },
  WRONG_DATA,
];
